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
            ("a=1; Expires=never", "a=1"), ("a=1; Domain=h.example", "a=1"), ("a=1; Domain=.EXAMPLE", "a=1"),
            ("a=1; Max-Age=60; Expires=Wed, 21 Oct 1999 07:28:00 GMT", "a=1"), ("a=1; Domain=", "a=1"),
        ])
    func returned(cookie: String, expected: String) { #expect(field(cookie) == expected) }

    @Test(
        "A cookie that is not meant for the request stays away",
        arguments: [
            "a=1; Path=/x", "a=1; Path=/d/", "a=1; Secure", "a=1; Max-Age=0", "a=1; Max-Age=-5",
            "a=1; Expires=Wed, 21-Oct-1999 07:28:00 GMT", "a=1; Domain=other.example", "a=1; Domain=www.h.example", "a",
            "=1",
            "", "a=1\u{7}",
        ])
    func kept(cookie: String) {
        let isFolder = cookie.hasSuffix("/d/")
        #expect(field(cookie, to: isFolder ? "http://h.example/d" : "http://h.example/d/f") == nil)
    }

    @Test(
        "A cookie returns to its own host only",
        arguments: [
            ("http://h.example:8080/d/", false), ("https://h.example/d/f", true), ("http://h.example:80/d/", true),
            ("http://H.EXAMPLE/d/f", true),
            ("http://www.h.example/d/f", false), ("http://example/d/f", false), ("http://h.example.net/d/f", false),
            ("http://h.example/", false),
        ])
    func hosts(url: String, returns: Bool) { #expect((field("a=1; Domain=example", to: url) != nil) == returns) }

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
