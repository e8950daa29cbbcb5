// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPSyntax

struct ServerFileNameTests {
    @Test(
        "The name comes from Content-Disposition if the field has one",
        arguments: [
            ("attachment; filename=a.txt", "a.txt"), ("attachment; filename=\"a b.txt\"", "a b.txt"),
            ("attachment; filename=\"a\\\"b.txt\"", "a_b.txt"), ("inline;filename=x;size=3", "x"),
            ("attachment; filename=\"old.txt\"; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"),
            ("attachment; filename*=iso-8859-1'en'%A3.txt", "£.txt"), ("attachment; filename*=UTF-8''%ff", "u.bin"),
            ("attachment; filename*=UTF-8''%ff; filename=ok", "ok"), ("attachment", "u.bin"), ("", "u.bin"),
            ("attachment; filename=\"../../etc/passwd\"", "passwd"), ("attachment; filename=\"C:\\x\\y.exe\"", "y.exe"),
            ("attachment; filename=\"..\"", "u.bin"), ("attachment; filename=\".bashrc\"", "bashrc"),
            ("attachment; filename=\"a\u{0}b\u{7}.txt\"", "ab.txt"), ("attachment; filename=\"CON\"", "_CON"),
            ("attachment; filename=\"-rf\"", "_-rf"), ("attachment; filename=\"\u{200B}--x y\"", "_--x y"),
            ("attachment; filename=\"nul.txt\"", "_nul.txt"), ("attachment; filename=\"a.txt.  \"", "a.txt"),
            ("attachment; filename=\"x\u{202E}txt.exe\"", "xtxt.exe"), ("attachment; filename=\"a/\"", "a"),
        ])
    func disposition(value: String, expected: String) {
        #expect(ServerFileName.name(disposition: value, url: "http://h/d/u.bin?x=y.z") == expected)
    }

    @Test(
        "C8: a name contains no control or format characters",
        arguments: [
            "\u{1}", "\u{1B}", "\u{7F}", "\u{9B}", "\u{AD}", "\u{61C}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}",
            "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}",
            "\u{2060}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{FEFF}", "\u{FFF9}", "\u{E0041}",
        ] as [Unicode.Scalar])
    func controlCharacters(scalar: Unicode.Scalar) {
        #expect(ServerFileName.safe("\(scalar)a\(scalar).\(scalar)txt\(scalar)") == "a.txt")
        let encoded = String(scalar).utf8.map { ($0 < 16 ? "%0" : "%") + String($0, radix: 16) }.joined()
        #expect(ServerFileName.name(disposition: nil, url: "http://h/a\(encoded).txt") == "a.txt")
    }

    @Test("Joiners stay in words and emoji that need them", arguments: ["می\u{200C}خواهم", "क्\u{200D}ष", "👩‍👧", "❤️‍🔥"])
    func joiners(text: String) {
        #expect(ServerFileName.safe(text + ".txt") == text + ".txt")
        #expect(ServerFileName.safe("\u{200D}" + text + "\u{200C}") == text)
    }

    @Test(
        "Otherwise, the name comes from the URL",
        arguments: [
            ("http://h/a/b.iso", "b.iso"), ("http://h/a%20b.iso#x", "a b.iso"), ("http://h/%2e%2e%2fx", "x"),
            ("http://h/", "download"), ("http://h", "download"), ("http://h/a/", "download"),
            ("http://h/%FF", "ÿ"),
            ("http://h/caf%C3%A9", "café"), ("http://h/..", "download"),
        ])
    func url(url: String, expected: String) {
        #expect(ServerFileName.name(disposition: nil, url: url) == expected)
    }

    @Test("The host and other names follow if neither the field nor the URL names the file")
    func otherNames() {
        func name(_ others: [String]) -> String {
            ServerFileName.name(disposition: "attachment", url: "https://example.org/", otherwise: others)
        }
        #expect(name(["/", "example.org", "unknown"]) == "example.org")
        #expect(name(["", "..", "unknown"]) == "unknown")
    }

    @Test("A long name is cut between characters and keeps its extension", arguments: ["a", "é", "漢", "👩‍👩‍👧‍👦"])
    func long(character: String) {
        let name = ServerFileName.safe(String(repeating: character, count: 300) + ".tar.gz")
        #expect(name.utf8.count <= 255)
        #expect(name.utf8.count > 255 - character.utf8.count)
        #expect(name.hasSuffix(character + ".tar.gz"))
    }

    @Test("A single endless character leaves a visible name with its extension", arguments: ["a", ".", ".."])
    func endlessCharacter(start: String) {
        let name = ServerFileName.safe(start + String(repeating: "\u{301}", count: 300) + ".tar.gz")
        #expect(name.utf8.count <= 255)
        #expect(name.utf8.count > 240)
        #expect(name.unicodeScalars.first != ".")
        #expect(name.hasSuffix(".tar.gz"))
    }
}
