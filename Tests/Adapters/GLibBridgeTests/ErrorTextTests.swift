// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@Suite struct ErrorTextTests {
    @Test(
        "C8: an error message contains no control or direction characters",
        arguments: [
            ("'\u{202E}gpj.exe' is no key", "'\u{FFFD}gpj.exe' is no key"), ("\u{2066}a\u{2069}", "\u{FFFD}a\u{FFFD}"),
            ("\u{1B}[2J\0\u{7F}\r", "\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}"), ("a\u{2028}b", "a\u{FFFD}b"),
            ("ä 漢字 e\u{301}\nb", "ä 漢字 e\u{301}\nb"),
        ])
    func printable(message: String, shown: String) {
        #expect(BusCall.printable(message) == shown)
    }

    @Test("A long text is truncated with an ellipsis")
    func long() {
        let most = String(repeating: "é", count: 2000)
        #expect(BusCall.printable(most) == most)
        #expect(BusCall.printable(most + "x") == most + "…")
    }
}
