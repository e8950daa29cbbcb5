// SPDX-License-Identifier: Apache-2.0

/// A key of an argument dictionary, with the values that are valid for it.
struct FuzzKey: Sendable {
    /// The kinds of values that the interface descriptions name.
    indirect enum Kind: Sendable {
        case text([String])
        case number([Int64])
        case real([Double])
        case flag
        case texts([String])
        /// `a(ss)`.
        case pairs
        /// `a{sv}` with string values.
        case map
        /// `a(xx)`.
        case windows
        case descriptor
        case dictionary([FuzzKey])
    }

    var name: String
    var kind: Kind

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    static let urls = [
        "http://127.0.0.1:1/file", "http://127.0.0.1:1/a?token=1", "https://127.0.0.1:1/", "http://u:p@127.0.0.1:1/x",
        "http://[::1]:1/", "http://127.0.0.1:99999/", "ftp://127.0.0.1:1/", "file:///etc/hostname", "http://", "x",
        "http://127.0.0.1:1/\u{202E}gpj.exe", "http://127.0.0.1:1/%00%2e%2e%2f", "HTTP://127.0.0.1:1", "",
    ]
    static let dates = [
        "2200-01-01T00:00:00Z", "2026-03-01T02:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:60Z",
        "-0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "99999999999-01-01T00:00:00Z", "2026-03-01T02:00:00+99:99",
        "1677-09-21T00:12:43Z", "2262-04-12T00:00:00Z", "yesterday", "",
    ]

    static let pagePositions = [
        "transfer 0", "transfer 1000", "condition 0", "transfer 9223372036854775807", "condition 9223372036854775807",
        "transfer -1", "transfer 9223372036854775808", "transfer", "", "1 2 3",
    ]

    static let command: [FuzzKey] = [
        FuzzKey("name", .text(["restic", "\u{202E}x", ""])), FuzzKey("id", .number([0, 1, .max])),
        FuzzKey("state", .text(["waiting", "running", "frozen", "stopping", "x"])), FuzzKey("deadline", .text(dates)),
        FuzzKey("explanation", .dictionary([FuzzKey("sentence", .text(["on battery", ""]))])),
    ]

    /// The constraint keys that Submit and Change share.
    static let constraints: [FuzzKey] = [
        FuzzKey("power", .text(["any", "ac"])), FuzzKey("battery-above", .number([0, 50, 100])),
        FuzzKey("link-kinds", .texts(["wifi", "ethernet", "cellular", "none"])),
        FuzzKey("metered", .text(["allowed", "unmetered", "unstated"])), FuzzKey("not-before", .text(dates)),
        FuzzKey("deadline", .text(dates)), FuzzKey("windows", .windows),
        FuzzKey("connections-allowed", .texts(["home", "\u{202E}x", ""])),
        FuzzKey("connections-denied", .texts(["work"])), FuzzKey("roaming", .flag),
        FuzzKey("price-below", .number([-1, 0, 5])),
        FuzzKey("custom", .texts(["call=no", "load=low/high", "call", ""])),
    ]
    static let change: [FuzzKey] =
        [
            FuzzKey("kind", .text(["userInitiated", "normal", "discretionary"])),
            FuzzKey("priority", .number([0, 500, 1000])), FuzzKey("url", .text(urls)),
            FuzzKey(
                "remove",
                .texts([
                    "power", "link-kinds", "metered", "not-before", "deadline", "windows", "patience", "price-below",
                    "custom",
                    "x",
                ])),
        ] + constraints
    static let transfer: [FuzzKey] =
        [
            FuzzKey("directory", .text(["/tmp", "/proc/none/x", "relative", "/proc"])),
            FuzzKey("name", .text(["a.txt", "..", "a/b", "", "\u{202E}gpj.exe", ".bashrc"])),
            FuzzKey("collision", .text(["rename", "overwrite", "fail"])),
            FuzzKey("checksum", .text(["sha256:" + String(repeating: "0", count: 64), "sha256:xyz", "md5:1", ":"])),
            FuzzKey("remote-time", .flag), FuzzKey("allow-html", .flag), FuzzKey("connections", .number([1, 4, 16])),
            FuzzKey("upload-file", .text(["/etc/hostname", "/dev/zero", "/proc/self/mem", "x", "/nonexistent"])),
            FuzzKey("method", .text(["PUT", "POST", "GET"])),
            FuzzKey("content-type", .text(["text/plain", "a\r\nb: c"])),
            FuzzKey("mirrors", .texts(urls)), FuzzKey("resumable", .flag), FuzzKey("headers", .pairs),
            FuzzKey("cookies", .texts(["h\tFALSE\t/\tFALSE\t0\tn\tv", "h", "", "h\tTRUE\t/\tTRUE\t9e99\tn\r\n\tv"])),
            FuzzKey("user", .text(["me", ""])),
            FuzzKey("password", .text(["secret", ""])), FuzzKey("idle-timeout", .number([1, 60, 86_400])),
            FuzzKey("rate-limit", .number([1, 1_000_000])), FuzzKey("attempts", .number([1, 5, 1_000_001])),
            FuzzKey("expected-bytes", .number([0, 1 << 40])), FuzzKey("session", .text(["s", "t", ""])),
            FuzzKey("upload-fd", .descriptor), FuzzKey("directory-fd", .descriptor),
            FuzzKey("policy", .text(["immediate", "ladder:bat=0.5", "none", "ladder:", ""])),
            FuzzKey("on-complete", .texts(["/bin/true", "true", "", "\u{202E}x"])),
        ] + change
    static let filter: [FuzzKey] = [
        FuzzKey("session", .text(["s", "t"])), FuzzKey("app", .text(["org.example.Fuzz.App0", "person"])),
        FuzzKey("ended", .number([0, 10, 1_000_000])), FuzzKey("explained", .flag),
        FuzzKey("explained-limit", .number([0, 10])),
    ]
    static let settings: [FuzzKey] = [
        FuzzKey("identifier", .text(["one", "two", "three", "\u{202E}four", "five/../six", ""])),
        FuzzKey("discretionary", .flag), FuzzKey("sends-launch-events", .flag),
        FuzzKey("request-timeout", .real([0.001, 60, 4e9])), FuzzKey("resource-timeout", .real([0.001, 604_800, 4e9])),
        FuzzKey("cellular", .flag), FuzzKey("expensive", .flag), FuzzKey("constrained", .flag),
        FuzzKey("headers", .map), FuzzKey("connections-per-host", .number([1, 6, 1_000_000])),
        FuzzKey("shared-container", .text(["group.a", ""])), FuzzKey("insecure-redirect", .flag),
        FuzzKey("answers-bearer", .flag),
    ]
    static let options: [FuzzKey] = [
        FuzzKey("bus-name", .text(["org.example.Fuzz.Nobody", ":1.1", "x"])),
        FuzzKey("command", .texts(["/bin/true", "/nonexistent", "true"])), FuzzKey("front", .flag),
        FuzzKey("back", .flag), FuzzKey("containers", .texts(["group.a", "group.b", ""])),
    ]
    static let request: [FuzzKey] = [
        FuzzKey("url", .text(urls)), FuzzKey("method", .text(["GET", "PUT", "POST", "DELETE", "GE T"])),
        FuzzKey("headers", .map), FuzzKey("timeout", .real([0, 60, 4e9])), FuzzKey("cellular", .flag),
    ]
    static let response: [FuzzKey] = [
        FuzzKey("url", .text(urls)), FuzzKey("status", .number([200, 404, 999])), FuzzKey("headers", .map),
    ]
    static let task: [FuzzKey] = [
        FuzzKey("task", .number([1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 9999, 10_001])),
        FuzzKey("upload-file", .text(["/etc/hostname", "/dev/zero", "x", "/nonexistent"])),
        FuzzKey("upload-fd", .descriptor), FuzzKey("request", .dictionary(request)), FuzzKey("note", .text(["n", ""])),
        FuzzKey("priority", .real([0, 0.5, 1])),
        FuzzKey("earliest-begin", .number([0, 4_000_000_000_000_000_000, .min, .max])),
        FuzzKey("expects-to-send", .number([-1, 100])), FuzzKey("expects-to-receive", .number([-1, 100])),
        FuzzKey("suspended", .flag), FuzzKey("ended", .flag), FuzzKey("received", .number([0, 5])),
        FuzzKey("sent", .number([0, 5])), FuzzKey("total", .number([0, 5])),
        FuzzKey("response", .dictionary(response)), FuzzKey("continues", .text(["token", ""])),
        FuzzKey(
            "name", .dictionary([FuzzKey("id", .text(["a", "../b", ""])), FuzzKey("fingerprint", .text(["0", ""]))])),
        FuzzKey("conditions", .dictionary([FuzzKey("discretionary", .flag)] + constraints)),
    ]
    static let order: [FuzzKey] = [
        FuzzKey(
            "order",
            .text(["submit", "change", "suspend", "resume", "cancel", "cancel-keeping", "begin", "answer", "forget"])),
        FuzzKey("snapshot", .dictionary(task)), FuzzKey("task", .number([1, 2, 3, 4, 5, 6, 7, 8])),
        FuzzKey("token", .text(["token", "a b", ""])),
        FuzzKey("reply", .text(["as-before", "with", "cancel", "unasked", "credential", "token", "none"])),
        FuzzKey("request", .dictionary(request)), FuzzKey("user", .text(["me"])),
        FuzzKey("password", .text(["secret"])),
    ]

    /// Returns the keys that make sense together for one order, so that the daemon accepts many orders.
    static func keys(ofOrder word: String) -> [String] {
        switch word {
        case "submit", "change": ["snapshot"]
        case "cancel-keeping": ["task", "token"]
        case "begin": ["task", "reply", "request"]
        case "answer": ["task", "reply", "user", "password", "token"]
        default: ["task"]
        }
    }
}
