// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import HTTPExecutor

@Suite("N3: cookies that servers set")
struct CookieJarTests {
    private let now: Int64 = 1_795_262_400

    /// The `Cookie` field of a request after a response from `http://h.example/d/e`.
    private func field(
        _ cookies: String..., to url: String = "http://h.example/d/f", with fields: [HeaderField] = []
    ) -> String? {
        var jar = CookieJar()
        let head = ResponseHead(status: 302, fields: cookies.map { HeaderField(name: "set-cookie", value: $0) })
        jar.record(head, from: "http://h.example/d/e", at: now)
        return jar.adding(to: fields, url: url).firstValue("Cookie")
    }

    @Test(
        "A cookie returns by the rules of RFC 6265",
        arguments: [
            ("a=1", "a=1"), ("a=1; Path=/; HttpOnly; SameSite=Lax", "a=1"), (" a = 1 ; Path=/d", "a=1"), ("a=", "a="),
            ("a=\"x y\"", "a=\"x y\""), ("a=b=c", "a=b=c"), ("a=1; Path=/d/f", "a=1"), ("a=1; Path=x", "a=1"),
            ("a=1; Max-Age=60", "a=1"), ("a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "a=1"),
            ("a=1; Expires=never", "a=1"), ("a=1; Domain=h.example", "a=1"), ("a=1; Domain=.H.Example", "a=1"),
            ("a=1; Max-Age=60; Expires=Wed, 21 Oct 1999 07:28:00 GMT", "a=1"), ("a=1; Domain=", "a=1"),
        ])
    func returned(cookie: String, expected: String) { #expect(field(cookie) == expected) }

    @Test(
        "A cookie that is not meant for the request stays away",
        arguments: [
            "a=1; Path=/x", "a=1; Path=/d/", "a=1; Secure", "a=1; Max-Age=0", "a=1; Max-Age=-5",
            "a=1; Expires=Wed, 21-Oct-1999 07:28:00 GMT", "a=1; Domain=other.example", "a=1; Domain=www.h.example",
            "a=1; Domain=example", "a=1; Domain=.EXAMPLE", "a=1; Domain=.example", "a=1; Domain=xample", "a", "=1", "",
            "a=1\u{7}",
        ])
    func kept(cookie: String) {
        let isFolder = cookie.hasSuffix("/d/")
        #expect(field(cookie, to: isFolder ? "http://h.example/d" : "http://h.example/d/f") == nil)
    }

    /// Returns whether a cookie that one URL sets returns to another.
    private func returns(_ cookie: String, from first: String, to second: String) -> Bool {
        var jar = CookieJar()
        let head = ResponseHead(status: 302, fields: [HeaderField(name: "Set-Cookie", value: cookie)])
        jar.record(head, from: first, at: now)
        return jar.adding(to: [], url: second).firstValue("Cookie") != nil
    }

    @Test(
        "A cookie with a domain returns to the hosts of the domain",
        arguments: [
            ("h.example", "http://h.example/", "http://www.h.example/", true),
            ("h.example", "http://www.h.example/", "http://h.example/", true),
            ("h.example", "http://a.h.example/", "https://b.c.h.example/", true),
            ("h.example", "http://h.example:8080/", "http://www.h.example:8080/", true),
            ("h.example", "http://h.example:8080/", "http://www.h.example/", false),
            ("h.example", "http://h.example/", "http://xh.example/", false),
            ("h.example", "http://a.h.example/", "http://h.example.net/", false),
            ("b.h.example", "http://a.b.h.example/", "http://h.example/", false),
            // A name of one label, or an address, has no subdomains.
            ("localhost", "http://localhost/", "http://a.localhost/", false),
            ("localhost", "http://localhost/", "http://localhost/", true),
            ("net", "http://a.net/", "http://a.net/", false),
            ("0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", false),
            ("127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", true),
            ("0.0.1", "http://127.0.0.1/", "http://10.0.0.1/", false),
            ("[::1]", "http://[::1]/", "http://[::1]/", true),
            // The form of a public suffix: the cookie returns to its own host only.
            ("co.uk", "http://a.co.uk/", "http://b.co.uk/", false),
            ("co.uk", "http://a.co.uk/", "http://a.co.uk/", true),
            ("com.au", "http://a.com.au/", "http://b.com.au/", false),
            ("a.co.uk", "http://x.a.co.uk/", "http://a.co.uk/", true),
            ("uk", "http://a.co.uk/", "http://a.co.uk/", false),
            ("bund.de", "http://a.bund.de/", "http://b.bund.de/", true),
        ])
    func domains(domain: String, first: String, second: String, expected: Bool) {
        #expect(returns("a=1; Domain=\(domain); Path=/", from: first, to: second) == expected)
        #expect(returns("a=1; Path=/", from: first, to: second) == (first == second))
    }

    @Test("A cookie with a domain and one without replace each other, and another host's cookie of the same name stays")
    func replacedDomain() {
        #expect(field("a=1; Domain=h.example", "a=2") == "a=2")
        #expect(field("a=1", "a=2; Domain=h.example", to: "http://h.example/d/f") == "a=2")
        var jar = CookieJar()
        for host in ["h.example", "www.h.example"] {
            let cookie = HeaderField(name: "Set-Cookie", value: "a=\(host); Path=/; Domain=\(host)")
            jar.record(ResponseHead(status: 200, fields: [cookie]), from: "http://\(host)/", at: now)
        }
        #expect(jar.adding(to: [], url: "http://www.h.example/").firstValue("Cookie") == "a=h.example; a=www.h.example")
        #expect(jar.adding(to: [], url: "http://h.example/").firstValue("Cookie") == "a=h.example")
    }

    @Test(
        "A cookie without a domain returns to its own host only",
        arguments: [
            ("http://h.example:8080/d/", false), ("https://h.example/d/f", true), ("http://h.example:80/d/", true),
            ("http://H.EXAMPLE/d/f", true),
            ("http://www.h.example/d/f", false), ("http://example/d/f", false), ("http://h.example.net/d/f", false),
            ("http://h.example/", false),
        ])
    func hosts(url: String, returns: Bool) { #expect((field("a=1", to: url) != nil) == returns) }

    @Test("A newer cookie replaces an older one, an expired one removes it, and both replace those of the request")
    func replaced() {
        #expect(field("a=1", "b=2", "a=3") == "b=2; a=3")
        #expect(field("a=1", "a=; Max-Age=0") == nil)
        #expect(field("a=1; Path=/", "a=2") == "a=2; a=1")
        let own = [HeaderField(name: "Cookie", value: "a=old; c=4"), HeaderField(name: "X", value: "y")]
        #expect(field("a=1", with: own) == "c=4; a=1")
        #expect(field("a=1; Path=/x", with: own) == "a=old; c=4")
    }

    @Test("The number and size of cookies are limited")
    func limits() {
        var jar = CookieJar()
        for number in 0..<60 {
            let cookie = HeaderField(name: "Set-Cookie", value: "c\(number)=1")
            jar.record(ResponseHead(status: 200, fields: [cookie]), from: "http://h/", at: now)
        }
        let names = jar.adding(to: [], url: "http://h/").firstValue("Cookie")?.split(separator: ";") ?? []
        #expect(names.count == CookieJar.maximumCount && names.first == "c10=1")
        #expect(field("a=" + String(repeating: "x", count: 5000)) == nil)
    }
}
