// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferFiles

@Suite("The field Cookie of a request")
struct CookieFieldTests {
    private static let cookies = [
        "example.org\tFALSE\t/\tFALSE\t0\thost\t1", ".example.org\tTRUE\t/\tFALSE\t1999999999\tsub\t2",
        ".example.org\tTRUE\t/a\tFALSE\t1999999999\tdeep\t3", "example.org\tFALSE\t/\tTRUE\t0\tsecure\t4",
        "example.org\tFALSE\t/\tFALSE\t1000000000\told\t5", "other.org\tTRUE\t/\tFALSE\t0\tother\t6",
        "127.0.0.1\tTRUE\t/\tFALSE\t0\taddress\t7",
    ].compactMap { Cookie(line: $0) }

    @Test(
        "A request has the cookies of its host, path, and scheme that have not expired, longest path first",
        arguments: [
            ("http://example.org/", "host=1; sub=2"), ("https://example.org/", "host=1; sub=2; secure=4"),
            ("http://EXAMPLE.org/a/b?c", "deep=3; host=1; sub=2"), ("http://example.org/ab", "host=1; sub=2"),
            ("http://example.org", "host=1; sub=2"), ("http://example.org?x", "host=1; sub=2"),
            ("http://www.example.org/a", "deep=3; sub=2"), ("http://notexample.org/", nil),
            ("http://example.org.evil.net/", nil), ("http://other.org:8080/x", "other=6"),
            ("http://127.0.0.1/", "address=7"), ("http://1.127.0.0.1/", nil),
        ] as [(String, String?)])
    func field(url: String, value: String?) {
        #expect(Self.cookies.count == 7)
        let field = Self.cookies.field(for: url, at: 1_795_262_400)
        #expect(field?.value == value)
        #expect(field?.name == (value == nil ? nil : "Cookie"))
    }

    @Test("A cookie is the same after its text form")
    func line() {
        #expect(Self.cookies.map { Cookie(line: $0.line) } == Self.cookies)
        #expect(Self.cookies[1].line == "example.org\tTRUE\t/\tFALSE\t1999999999\tsub\t2")
    }
}
