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
}
