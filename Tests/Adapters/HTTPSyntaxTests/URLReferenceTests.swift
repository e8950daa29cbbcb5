// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import HTTPSyntax

@Suite("N1: URLs are escaped once")
struct URLReferenceTests {
    @Test(
        "Valid escapes stay, and every other byte that may not stand in a URL is escaped",
        arguments: [
            ("http://h/with%20space%20and.txt", "http://h/with%20space%20and.txt"),
            ("http://h/café%20day.txt", "http://h/caf%C3%A9%20day.txt"), ("http://h/a[1]%20b", "http://h/a%5B1%5D%20b"),
            ("http://h/100%", "http://h/100%25"), ("http://h/100%2", "http://h/100%252"),
            ("http://h/%zz%e9", "http://h/%25zz%e9"), ("http://h/a b\t\"c\"", "http://h/a%20b%09%22c%22"),
            ("http://h/?q=a b&c[]=%20é#f", "http://h/?q=a%20b&c%5B%5D=%20%C3%A9"),
            ("http://h/{a}|b\\c^`", "http://h/%7Ba%7D%7Cb%5Cc%5E%60"),
            ("http://h/a'b(c)!*;=:@$,", "http://h/a'b(c)!*;=:@$,"),
            ("http://[::1]:8080/[x]", "http://[::1]:8080/%5Bx%5D"), ("HTTP://H/%41?%42", "http://H/%41?%42"),
            ("http://me:p%40ss wörd@h/", "http://me:p%40ss%20w%C3%B6rd@h/"),
        ])
    func escaped(text: String, url: String) { #expect(URLReference(text).text == url) }

    @Test(
        "A host with other letters becomes Punycode, also in a redirect and as escapes",
        arguments: [
            ("http://bücher.example:8/", "http://xn--bcher-kva.example:8/"),
            ("//BÜCHER.example/x", "http://xn--bcher-kva.example/x"),
            ("//b%C3%BCcher.example", "http://xn--bcher-kva.example/"),
            ("http://u@faß.de", "http://u@xn--fa-hia.de/"), ("http://日本語。jp/é", "http://xn--wgv71a119e.jp/%C3%A9"),
            ("http://１２７.0.0.1/", "http://127.0.0.1/"), ("http://%31%32%37.0.0.1/", "http://127.0.0.1/"),
            ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"), ("/é", "http://h/%C3%A9"),
            ("http://a_b.example/", "http://a_b.example/"),
        ])
    func hosts(location: String, url: String) {
        let reference = URLReference(location).resolved(against: URLReference("http://h/a"))
        #expect(reference.text == url)
        #expect(reference.hasValidHost)
    }

    @Test(
        "A URL whose host or port cannot exist is recognized",
        arguments: [
            "http://ho st/", "http://ex%2fample/", "http://a%00b/", "http://a\u{200D}b/", "http://[::1/", "http://h:x/",
            "http://h:70000/", "http:///a", "http://@/", "http://h:-1/", "mailto:a@b", "/a", "",
        ])
    func wrongHosts(text: String) { #expect(!URLReference(text).hasValidHost) }

    @Test("A user and a password are unescaped")
    func credential() {
        #expect(URLReference("http://me:p%40%3Ass%@h/").credential == Credential(user: "me", password: "p@:ss%"))
        #expect(URLReference("http://me@h/").credential == Credential(user: "me", password: ""))
        #expect(URLReference("http://h/").credential == nil)
    }

    @Test(
        "Escaping twice is escaping once, and a server receives the bytes of the text",
        arguments: 1...20 as ClosedRange<UInt64>)
    func property(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<500 {
            // Few different bytes, so that escapes and halves of escapes are frequent.
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? Array("%%2040aF é[]\\".utf8).randomElement(using: &generator)!
                    : UInt8.random(in: 1...255, using: &generator)
            }
            let escaped = PercentCoding.escaped(Substring(PercentCoding.escapedBeyondASCII(bytes)).utf8)
            #expect(PercentCoding.escaped(Substring(escaped).utf8) == escaped, "seed \(seed): \(bytes)")
            #expect(escaped.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "seed \(seed): \(bytes)")
            let sent = PercentCoding.decode(escaped)
            #expect(sent == PercentCoding.decode(PercentCoding.escapedBeyondASCII(bytes)), "seed \(seed): \(bytes)")
            // The same through a whole URL, for text that is UTF-8 and has no separators.
            guard let text = String(decodingUTF8: bytes.filter { !"/?#".utf8.contains($0) }), text != ".", text != ".."
            else {
                continue
            }
            let reference = URLReference("http://h/\(text)?\(text)")
            #expect(URLReference(reference.text) == reference, "seed \(seed): \(text)")
            #expect(
                PercentCoding.decode(reference.path.dropFirst()) == PercentCoding.decode(text), "seed \(seed): \(text)")
            #expect(PercentCoding.decode(reference.query ?? "") == PercentCoding.decode(text), "seed \(seed): \(text)")
        }
    }
}
