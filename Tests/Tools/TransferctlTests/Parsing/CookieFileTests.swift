// SPDX-License-Identifier: Apache-2.0
import Testing
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
    func matching(url: String, names: [String]) {
        let file = CookieFile(Self.text, name: "cookies")
        #expect(file.cookies(forServerOf: url, now: now).map(\.name) == names)
    }

    @Test(
        "N3: a line that is no cookie is named without its value, and the others count",
        arguments: [
            "h\tyes\t/\tFALSE\t0\tn\tsecret", "h FALSE / FALSE 0 n secret", "secret", "{\"secret\": 1}",
            "h\tFALSE\t/\tFALSE\tsoon\tn\tsecret", "h\tFALSE\t/\tFALSE\t0\tn\tsecret; path=/",
            "h\tFALSE\t/\tFALSE\t0\tn\ts\u{7}", "\tFALSE\t/\tFALSE\t0\tn\tsecret", "h\tFALSE\t/\tFALSE\t0",
            "#HttpOnly_", "h\tFALSE\t/\tFALSE\t0\tn\tsecret\tmore",
        ])
    func faults(line: String) {
        let file = CookieFile("# c\n\(line)\nh\tFALSE\t/\tFALSE\t0\tn\t1\n", name: "cookies")
        #expect(file.faults.count == (line == "#HttpOnly_" ? 0 : 1))
        #expect(file.faults.allSatisfy { $0.hasPrefix("cookies:2:") && !$0.contains("secret") })
        #expect(file.cookies(forServerOf: "http://h/", now: now).map(\.value) == ["1"])
    }

    @Test(
        "N3: an empty or zero expiration means the end of the session",
        arguments: ["", "0", "0.0", "1999999999", "1999999999.5"])
    func sessions(expires: String) {
        // As yt-dlp, curl, and Python's http.cookiejar write them.
        let file = CookieFile("#HttpOnly_h\tFALSE\t/\tFALSE\t\(expires)\tn\t1\r\n", name: "cookies")
        #expect(file.faults.isEmpty)
        let cookies = file.cookies(forServerOf: "http://h/", now: now)
        #expect(cookies.map(\.value) == ["1"])
        #expect(cookies.allSatisfy { $0.isValid(at: 1_900_000_000) })
    }

    @Test("An empty value may lack its tab")
    func emptyValue() {
        let file = CookieFile("h\tFALSE\t/\tFALSE\t0\tname", name: "cookies")
        #expect(file.cookies(forServerOf: "http://h/", now: now).map(\.line) == ["h\tFALSE\t/\tFALSE\t0\tname\t"])
    }
}
