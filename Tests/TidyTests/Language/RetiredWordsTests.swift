// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Retired words stay retired")
struct RetiredWordsTests {
    /// The files that list the retired words themselves.
    private static let lists = [
        "Tests/TidyTests/Language/RetiredWords", "Sources/Model/TransferModel/TransferModel.docc/Glossary",
    ]

    private static let ours = SourceTree.files.filter { file in
        file.path != "CHANGELOG.md" && file.path != "LICENSE" && !lists.contains { file.path.hasPrefix($0) }
    }

    @Test("no type, member, file, or folder of this project has a retired name")
    func names() { #expect(RetiredWords.names(in: Self.ours) == []) }

    @Test("no comment, document, or message of this project has a retired phrase")
    func prose() { #expect(RetiredWords.prose(in: Self.ours) == []) }

    @Test(
        "a retired name is found",
        arguments: [
            "struct PolicyMood {}", "enum A {\n    case inGrace, x(y: Int)\n}", "func lookAgainLater() {}",
            "extension A {\n    static func handOverAll() {}\n}", "let sureness = 1",
            "struct A {\n    mutating func noteProgress() {}\n}",
        ])
    func retiredName(_ text: String) {
        #expect(RetiredWords.names(in: [SourceFile(path: "Sources/A.swift", text: text)]).count == 1)
    }

    @Test("a retired name of a file or folder is found", arguments: ["Tests/Soak/A.swift", "Tests/B/SoakRun.swift"])
    func retiredPath(_ path: String) { #expect(RetiredWords.names(in: [SourceFile(path: path, text: "")]).count == 1) }

    @Test(
        "variables of functions, extensions, parts of words, and comments are left alone",
        arguments: [
            "func a() {\n    let rig = 1\n}", "extension SomeLedger {}", "let rigid = 1", "// mood",
            "var note: String?", "func annotate() {}",
            "let handOfOver = \"mood\"",
        ])
    func leftAlone(_ text: String) {
        #expect(RetiredWords.names(in: [SourceFile(path: "Sources/A.swift", text: text)]) == [])
    }

    @Test("a retired phrase is found, as whole words and in any case")
    func phrases() {
        func faults(_ text: String) -> Int { RetiredWords.prose(in: [SourceFile(path: "A.md", text: text)]).count }
        #expect(faults("It was Handed over.") == 1)
        #expect(faults("Start anew\n\nand anew") == 2)
        #expect(faults("A new start in a manewver") == 0)
    }

    @Test("words of a name")
    func words() {
        #expect(RetiredWords.words(of: "isHandedOver") == ["is", "handed", "over"])
        #expect(RetiredWords.words(of: "URLSession2File") == ["url", "session", "file"])
        #expect(RetiredWords.words(of: "daemon-soak_x") == ["daemon", "soak", "x"])
    }
}
