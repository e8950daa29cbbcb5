// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing
import ToolSupport
import TransferBusProtocol
import TransferModel
import TransferPolicy

@testable import transferctl

/// The characters that control a terminal or change the reading direction.
private let unsafeScalars: [Unicode.Scalar] =
    ["\u{0}", "\u{7}", "\t", "\r", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{AD}", "\u{61C}", "\u{180E}"]
    + ["\u{200B}", "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}"]
    + ["\u{202E}", "\u{2060}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{FEFF}", "\u{E0041}"]

struct PrintableTextTests {
    @Test("C8: Replaces unsafe characters in printed text", arguments: unsafeScalars)
    func replaced(scalar: Unicode.Scalar) {
        #expect("a\(scalar)b".printable == "a\u{FFFD}b")
        #expect("a\(scalar)b\n\(scalar)".printableLines == "a\u{FFFD}b\n\u{FFFD}")
        #expect(Formatting.fitted("a\(scalar)b", width: 10) == "a\u{FFFD}b")
        #expect(Formatting.wrapped("a\(scalar)b c", width: 4) == ["a\u{FFFD}b", "c"])
        var table = ColumnTable(["NAME"])
        table.add(["a\(scalar)b"])
        #expect(table.lines(width: 10) == ["NAME", "a\u{FFFD}b"])
        var line = ScreenLine()
        line.add("a\(scalar)b")
        #expect(line.drawn(width: 10) == "a\u{FFFD}b")
    }

    @Test("Prints other text unchanged, except for joiners")
    func others() {
        for text in ["", "plain", "ä日本\u{1F600}e\u{301}", "\u{FFFD}"] {
            #expect(text.printable == text && text.printableLines == text && text.printableJSON == text)
        }
        #expect("a\r\nb\n".printableLines == "a\u{FFFD}\nb\n")
        #expect("می\u{200C}خواهم".printable == "میخواهم")
    }

    @Test("C8: A card and a list of transfers contain no unsafe characters")
    func rows() throws {
        let text = String(String.UnicodeScalarView(unsafeScalars))
        var status = TransferStatus(
            id: TransferID(1), url: "http://h/" + text, name: "n" + text, app: "a" + text, session: "s" + text,
            isUpload: false,
            kind: .normal, priority: 500, state: .failed, submitted: .init(nanosecondsSinceEpoch: 0))
        (status.path, status.error) = ("/d/" + text, "e" + text)
        let lines =
            TransferCard(status.fields).lines(width: 400)
            + StatusTable([status], width: 400).text.split(separator: "\n").map(String.init)
        for line in lines {
            #expect(!line.unicodeScalars.contains { unsafeScalars.contains($0) }, "\(line.debugDescription)")
        }
    }

    @Test("C8: JSON contains unsafe characters as escapes, so that programs read the original values")
    func json() throws {
        let text = String(String.UnicodeScalarView(unsafeScalars)) + "\u{200D}\u{200C} ä\u{1F600}"
        let data = try JSONSerialization.data(withJSONObject: ["name": text])
        let printed = String(decoding: data, as: UTF8.self).printableJSON
        #expect(!printed.unicodeScalars.contains { unsafeScalars.contains($0) })
        #expect(!printed.unicodeScalars.contains { $0 == "\u{200D}" || $0 == "\u{200C}" })
        #expect(printed.contains("\\udb40\\udc41") && printed.contains("\\u001b") && printed.contains("ä\u{1F600}"))
        let read = try JSONSerialization.jsonObject(with: Data(printed.utf8)) as? [String: String]
        #expect(read?["name"] == text)
    }
}
