// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import LinuxClock
import Testing
import ToolSupport
import TransferEngine
import TransferModel
import TransferPolicy

@testable import transferctl

@Suite("Parsing of command-line values")
struct ParsingTests {
    /// The time 2026-11-21T12:00:00Z, a Saturday.
    let now = WallTime(secondsSinceEpoch: 1_795_262_400)

    private let utc = LocalClock(.gmt)

    @Test(
        "Parses times as RFC 3339, the next HH:MM, or a duration from now",
        arguments: [
            ("+2h", 7200), ("2h", 7200), ("90m", 5400), ("24h", 86_400), ("6pm", 21_600), ("6:30pm", 23_400),
            ("12am", 43_200), ("tonight", 36_000), ("tomorrow 6pm", 108_000), ("+90s", 90), ("+15m", 900),
            ("+1d", 86_400), ("+1.5h", 5400), ("12:30", 1800),
            ("11:30", 84_600), ("2026-11-21T12:00:01Z", 1), ("2026-11-21T14:00:00+01:00", 3600),
            ("2026-11-21T12:00:00.500Z", 0),
        ])
    func times(text: String, seconds: Int64) throws {
        let date = try TimeExpression(text, option: "by", now: now, clock: utc).date
        #expect(now.duration(to: date).components.seconds == seconds)
    }

    @Test(
        "Rejects invalid and past times, and names the option",
        arguments: [
            "", "soon", "25:00", "12:60", "24:00", "13pm", "0am", "pm", "tonight 18:00", "90", "1:30", "+", "+2x",
            "+-2h", "2026-13-01T00:00:00Z", "2001-01-01T00:00:00Z",
            "+0s",
            "+99999999999h", "nan",
        ])
    func badTimes(text: String) {
        let error = #expect(throws: UsageError.self) { try TimeExpression(text, option: "by", now: now, clock: utc) }
        #expect(error?.description.contains("--by '\(text)'") ?? false)
    }

    @Test(
        "Parses bytes with binary suffixes",
        arguments: [
            ("0", 0), ("500", 500), ("64K", 65_536), ("64k", 65_536), ("1.5M", 1_572_864), ("2G", 2_147_483_648),
            ("2GiB", 2_147_483_648), ("1KB", 1024), ("10B", 10), ("1T", 1_099_511_627_776),
        ])
    func byteCounts(text: String, bytes: Int64) { #expect(ByteCount(text)?.bytes == bytes) }

    @Test(
        "Rejects invalid numbers of bytes",
        arguments: ["", "K", "-1", "1e9", "inf", "nan", "0x10", "1.2.3", "9999999999G", "1 M"])
    func badByteCounts(text: String) { #expect(ByteCount(text) == nil) }

    @Test("Combines kinds of network with or, and other conditions with and")
    func whenExpressions() throws {
        let all = try WhenExpression("ac,unmetered,wifi,ethernet")
        #expect(all.power == .ac)
        #expect(all.metered == .unmetered)
        #expect(all.linkKinds == .only([LinkKinds(.wifi), LinkKinds(.ethernet)]))
        #expect(try WhenExpression("battery>50").power == .acOrBattery(above: 50))
        #expect(try WhenExpression("battery>50,battery>20").power == .acOrBattery(above: 50))
        #expect(try WhenExpression("battery>50,ac").power == .ac)
        #expect(try WhenExpression("price<0.2").price == PriceConstraint(below: 0.2))
        #expect(try WhenExpression("ac,price<-1.5e1,price<3").price == PriceConstraint(below: -15))
        #expect(try WhenExpression("ac").price == nil)
        #expect(try WhenExpression("usb-tether").linkKinds == .only([LinkKinds(.usbTether)]))
    }

    @Test(
        "Rejects unknown conditions",
        arguments: [
            "", "ac,", "sunshine", "battery>100", "battery>", "battery>-1", "unknown", "AC", "price<", "price<x",
            "price>1", "price<inf",
        ])
    func badWhenExpressions(text: String) {
        #expect(throws: UsageError.self) { try WhenExpression(text) }
    }

    @Test("Parses windows of days and hours of the local week")
    func windows() throws {
        let hour: Int64 = 3600
        let day = 24 * hour
        #expect(
            try WindowExpression("Mon-Fri 01:00-06:00").constraint.windows
                == (0..<5).map {
                    .init(start: $0 * day + hour, end: $0 * day + 6 * hour)
                })
        #expect(try WindowExpression("22:00-06:00").constraint.windows.count == 7)
        #expect(try WindowExpression("10pm-6am").constraint == WindowExpression("22:00-06:00").constraint)
        #expect(
            try WindowExpression("Sun 22:00-06:00").constraint.windows == [
                .init(start: 6 * day + 22 * hour, end: 7 * day + 6 * hour)
            ])
        #expect(
            try WindowExpression("Fri-Mon 00:00-24:00").constraint.windows.map(\.start)
                == [0, 4, 5, 6].map { $0 * day })
        #expect(try WindowExpression("sat,SUN 00:00-24:00;Mon 01:00-02:00").constraint.windows.count == 3)
    }

    @Test(
        "Rejects invalid windows",
        arguments: [
            "", "Mon", "Mon 7", "Mon 01:00", "Xyz 01:00-02:00", "Mon-Tue-Wed 01:00-02:00", "01:00-01:00", "24:00-01:00",
            "25:00-26:00", "Mon  Tue 01:00-02:00", "01:60-02:00", "1-2",
        ])
    func badWindows(text: String) { #expect(throws: UsageError.self) { try WindowExpression(text) } }

    @Test("Requires checksums of the algorithm's length")
    func checksums() throws {
        let digits = String(repeating: "Ab", count: 32)
        #expect(try ChecksumExpression("sha256:\(digits)").checksum.hexDigest == digits.lowercased())
        for text in [
            "", "sha256", "sha256:", "sha256:\(digits)0", "sha512:\(digits)", "md5:\(digits)",
            "sha256:\(digits.dropLast())g",
        ] {
            #expect(throws: UsageError.self) { try ChecksumExpression(text) }
        }
    }

    @Test("Validates header fields, and never repeats the value of an invalid one")
    func headers() throws {
        #expect(try HeaderExpression("X-Token:  secret ").field == HeaderField(name: "X-Token", value: "secret "))
        for text in [
            "no colon secret", ": secret", "a b: secret", "X: secret\r\nY: z",
        ] {
            let error = #expect(throws: UsageError.self) { try HeaderExpression(text) }
            #expect(!(error?.description.contains("secret") ?? true))
        }
    }

    @Test(
        "N7: a field that the transfer sets itself is left out, and no error",
        arguments: [
            "Range", "HOST", "if-range", "If-None-Match", "If-Modified-Since", "Content-Length", "Transfer-Encoding",
            "Connection", "Expect",
        ])
    func reserved(name: String) throws {
        #expect(try HeaderExpression("\(name): x").isReserved)
        let options = try GetCommand.parse(["--header", "\(name): x", "--header", "A: b", "http://h/"]).request
        let fields = try RequestFields(options)
        #expect(fields.fields == [HeaderField(name: "A", value: "b")])
        #expect(fields.ignored == [name])
    }

    @Test("Reports the line of an error in a list")
    func lists() throws {
        let digits = String(repeating: "a", count: 64)
        let items = try InputList(
            "# comment\n\nhttp://h/a\r\nhttp://h/b\tout=c d\tchecksum=sha256:\(digits)\nhttp://h/e\t http://m/e\n",
            name: "list"
        ).items
        #expect(
            items == [
                .init(url: "http://h/a"),
                .init(url: "http://h/b", output: "c d", checksum: Checksum(algorithm: .sha256, hexDigest: digits)),
                .init(url: "http://h/e", mirrors: ["http://m/e"]),
            ])
        let error = #expect(throws: UsageError.self) {
            try InputList("http://h/a\nhttp://h/b\tcolour=red", name: "list")
        }
        #expect(error?.description.hasPrefix("list:2:") ?? false)
        #expect(throws: UsageError.self) { try InputList("http://h/b\tout=", name: "list") }
    }

    @Test("A line of a list has options of its own")
    func inputOptions() throws {
        let line =
            "http://h/a?b=c\tdir=d e\theader=X: a=b\thttp://m/a?b=c\theader=Y:\treferer=https://u:p@r/#x\tuser-agent=A b"
        let item = try InputList(line, name: "list").items[0]
        #expect(item.url == "http://h/a?b=c" && item.mirrors == ["http://m/a?b=c"] && item.directory == "d e")
        #expect(
            item.headers.map { "\($0.name): \($0.value)" } == [
                "X: a=b", "Y: ", "Referer: https://r/", "User-Agent: A b",
            ])
        for (field, word) in [
            ("header=secret", "has no colon"), ("header=a b: secret", "header name"), ("dir=", "no folder"),
            ("referer=x", "not a valid URL"), ("password=secret", "'password' is neither"),
            ("user-agent=a\u{1}secret", "control character"),
        ] {
            let error = #expect(throws: UsageError.self) { try InputList("http://h/a\t\(field)", name: "list") }
            #expect(error?.description.contains(word) == true && error?.description.contains("secret") == false)
        }
    }

    @Test("Reads logins of hosts and the default from .netrc, and skips macros and comments")
    func netrc() throws {
        let text = """
            # mine
            machine example.com login me password "s p\\"x" # no comment inside a password
            macdef init
            machine evil.com login x password y

            machine other.org
              login you
              password #hash
            default login anonymous password a@b
            """
        let file = try Netrc(text)
        func decoded(_ host: String) -> String? {
            file.credential(host: host).map { "\($0.user):\($0.password)" }
        }
        #expect(decoded("EXAMPLE.com") == "me:s p\"x")
        #expect(decoded("other.org") == "you:#hash")
        #expect(decoded("evil.com") == "anonymous:a@b")
        #expect(file.credential(host: "other.org", user: "you")?.password == "#hash")
        #expect(throws: UsageError.self) { try Netrc("login x") }
        #expect(throws: UsageError.self) { try Netrc("machine") }
        #expect(throws: UsageError.self) { try Netrc("machine a login b nonsense") }
    }

    @Test(
        "N4: .netrc has the password of the user in the URL",
        arguments: [
            ("h", nil, "a:1"), ("h", "a", "a:1"), ("h", "b", "b:2"), ("h", "c", "c:5"), ("g", "x", "x:3"),
            ("g", nil, nil),
            ("k", "d", "d:4"), ("k", "e", nil), ("k", nil, "d:4"), ("H", "b", "b:2"),
        ] as [(String, String?, String?)])
    func netrcUser(host: String, user: String?, login: String?) throws {
        let text = """
            machine h login a password 1
            machine h login b password 2
            machine g password 3
            machine k login d password 4
            """
        let file = try Netrc(host.lowercased() == "h" ? text + "\ndefault login c password 5" : text)
        #expect(file.credential(host: host, user: user).map { "\($0.user):\($0.password)" } == login)
    }
}
