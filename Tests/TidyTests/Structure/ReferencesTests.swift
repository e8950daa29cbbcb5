// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("References lead somewhere")
struct ReferencesTests {
    private static let documents = "Sources/Client/BackgroundTransfer/BackgroundTransfer.docc/"
    private static let ours = SourceTree.files.filter { !["CHANGELOG.md", "LICENSE"].contains($0.path) }

    @Test("every document that is mentioned exists")
    func documents() {
        let others = Self.ours.filter {
            !["Tests/EndToEndTests/Guides/", "Tests/TidyTests/Structure/ReferencesTests"].contains(
                where: $0.path.hasPrefix)
        }
        #expect(References.missingDocuments(in: others, among: SourceTree.files) == [])
    }

    @Test("every rule that is mentioned is printed")
    func rules() throws {
        let pages = try ["Rules.md", "SecurityModel.md"].map { name in
            try #require(Self.ours.first { $0.path == Self.documents + name })
        }
        let rules = Set(pages.flatMap { References.rules(in: $0.text) })
        #expect(rules.count == RuleTable.sessionIDs.count + RuleTable.callerIDs.count)
        let others = Self.ours.filter { !$0.path.hasPrefix("Tests/TidyTests/") }
        // C0 is a set of control characters.
        #expect(
            References.unknownRules(in: others, letters: ["S", "T", "E", "L", "R", "C"], rules: rules.union(["C0"]))
                == [])
    }

    @Test("a document that is missing is found", arguments: ["see DESIGN.md", "[a](../a/B.md)", "`docs/A.md`"])
    func missing(_ text: String) {
        let files = [SourceFile(path: "A.md", text: text), SourceFile(path: "Sources/a/C.md", text: "")]
        #expect(References.missingDocuments(in: files, among: files).count == 1)
    }

    @Test("documents of others are left alone", arguments: ["see A.md", "[a](../a/C.md)", "https://a.org/B.md"])
    func present(_ text: String) {
        let files = [SourceFile(path: "A.md", text: text), SourceFile(path: "Sources/a/C.md", text: "")]
        #expect(References.missingDocuments(in: files, among: files) == [])
    }

    @Test("a rule that is not printed is found")
    func unknownRule() {
        let file = SourceFile(path: "A.swift", text: "// S1 and S9, A9, xS8, S100")
        let found = References.unknownRules(in: [file], letters: ["S"], rules: ["S1"])
        #expect(found == ["A.swift:1: there is no rule S9"])
        #expect(References.rules(in: "**S1.** A\n| S2 | x |\n### S3\nS4\nx S5") == ["S1", "S2", "S3", "S4"])
    }
}
