// SPDX-License-Identifier: Apache-2.0
import HTTPSyntax
import Testing

@testable import TransferFiles

@Suite("Names with a number")
struct NumberedNameTests {
    @Test("A number precedes the extension")
    func numbered() {
        #expect(DestinationFolder.numbered("a.txt", 0) == "a.txt")
        #expect(DestinationFolder.numbered("a.txt", 1) == "a (1).txt")
        #expect(DestinationFolder.numbered("a", 2) == "a (2)")
        #expect(DestinationFolder.numbered("a.tar.gz", 3) == "a (3).tar.gz")
        #expect(DestinationFolder.numbered(".config", 1) == ".config (1)")
    }

    @Test("A long name makes room for its number", arguments: ["a", "é", "漢", "👩‍👩‍👧‍👦", "a\u{301}"])
    func long(character: String) {
        let name = ServerFileName.safe(String(repeating: character, count: 300) + ".tar.gz")
        #expect(DestinationFolder.numbered(name, 12).utf8.count <= 255)
        #expect(DestinationFolder.numbered(name, 12).hasSuffix(" (12).tar.gz"))
    }

    @Test("A single endless character makes room for its number", arguments: ["a", ".", ".."])
    func endlessCharacter(start: String) {
        let name = ServerFileName.safe(start + String(repeating: "\u{301}", count: 300) + ".tar.gz")
        let numbered = DestinationFolder.numbered(name, 3)
        #expect(numbered.hasSuffix(" (3).tar.gz"))
        #expect(numbered.utf8.count > 240 && numbered.utf8.count <= 255)
    }
}
