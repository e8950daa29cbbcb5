// SPDX-License-Identifier: Apache-2.0
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

@Suite("Cookie files in Netscape's format")
struct CookieFileTests {
    private let now = WallTime(secondsSinceEpoch: 1_795_262_400)

    private static let text = """
        # Netscape HTTP Cookie File
        example.org\tFALSE\t/\tFALSE\t0\thost\t1
        .example.org\tTRUE\t/\tFALSE\t1999999999\tsub\t2
        #HttpOnly_.example.org\tTRUE\t/a\tFALSE\t1999999999\tdeep\t3
        example.org\tFALSE\t/\tTRUE\t0\tsecure\t4
        example.org\tFALSE\t/\tFALSE\t1000000000\told\t5
        other.org\tTRUE\t/\tFALSE\t0\tother\t6
        127.0.0.1\tTRUE\t/\tFALSE\t0\taddress\t7
        """

    @Test(
        "A transfer has the cookies of its server that have not expired, whatever their path and scheme",
        arguments: [
            ("http://example.org/", ["host", "sub", "deep", "secure"]),
            ("https://EXAMPLE.org:8443/a/b?c", ["host", "sub", "deep", "secure"]),
            ("http://www.example.org/a", ["sub", "deep"]), ("http://notexample.org/", []),
            ("http://example.org.evil.net/", []), ("http://other.org:8080/x", ["other"]),
            ("http://127.0.0.1/", ["address"]), ("http://1.127.0.0.1/", []),
        ] as [(String, [String])])
    func matching(url: String, names: [String]) throws {
        let file = try CookieFile(Self.text, name: "cookies")
        #expect(file.cookies(forServerOf: url, now: now).map(\.name) == names)
    }

    @Test(
        "An invalid line is an error that does not repeat the value",
        arguments: [
            "h\tyes\t/\tFALSE\t0\tn\tsecret", "h FALSE / FALSE 0 n secret",
            "h\tFALSE\t/\tFALSE\tsoon\tn\tsecret", "h\tFALSE\t/\tFALSE\t0\tn\tsecret; path=/",
            "h\tFALSE\t/\tFALSE\t0\tn\ts\u{7}",
        ])
    func faults(line: String) {
        let error = #expect(throws: UsageError.self) { try CookieFile("# c\n" + line, name: "cookies") }
        #expect(error?.description.contains("cookies:2:") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("An empty value may lack its tab")
    func emptyValue() throws {
        let file = try CookieFile("h\tFALSE\t/\tFALSE\t0\tname", name: "cookies")
        #expect(file.cookies(forServerOf: "http://h/", now: now).map(\.line) == ["h\tFALSE\t/\tFALSE\t0\tname\t"])
    }
}
