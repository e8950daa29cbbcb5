// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("The table of rules and their tests")
struct RuleTableTests {
    private static let folder = "Sources/Client/BackgroundTransfer/BackgroundTransfer.docc/"

    /// A small project without faults.
    private static let files = [
        SourceFile(
            path: "Sources/Testing/SessionHarnesses/Conformance/SessionRule.swift",
            text: "    case s1 = \"S1: one\"\n    case t2 = \"T2: two\"\n"),
        SourceFile(
            path: "Tests/ATests/ATests.swift",
            text: "struct ATests {\n@Test(\"a (b)\", arguments: [1])\nfunc first(_ a: Int) {}\nfunc helper() {}\n}\n"),
    ]

    private static func table(_ rows: [String: String] = [:]) -> String {
        "# Rules\n\n| Rule | Tests |\n|---|---|\n"
            + RuleTable.sessionIDs.map { "| \($0) | \(rows[$0] ?? "`ATests.first`") |\n" }.joined()
            + "\n`Words` after it.\n"
    }

    @Test("names every rule and existing tests")
    func tree() throws {
        let sessions = try #require(SourceTree.files.first { $0.path == Self.folder + "Rules.md" })
        #expect(RuleTable.faults(in: sessions.text, files: SourceTree.files) == [])
        let callers = try #require(SourceTree.files.first { $0.path == Self.folder + "SecurityModel.md" })
        #expect(RuleTable.faults(in: callers.text, ids: RuleTable.callerIDs, files: SourceTree.files) == [])
    }

    @Test("is valid if every rule has its own test or case")
    func right() {
        #expect(RuleTable.sessionIDs.count == 50)
        let table = Self.table(["S1": "`SessionRule.s1`, `ATests.first`"])
        #expect(RuleTable.faults(in: table, files: Self.files) == [])
    }

    @Test(
        "is invalid with a missing test, a function that is no test, or another rule's case",
        arguments: [
            ("S1", "`ATests.second`", "S1: no test ATests.second"),
            ("S1", "`ATests.first`, `ATests.helper`", "S1: no test ATests.helper"),
            ("T3", "`BTests.first`", "T3: no test BTests.first"), ("R6", "later", "R6: no test"),
            ("T2", "`SessionRule.t3`", "T2: no case SessionRule.t3"),
            ("T2", "`SessionRule.s1`", "T2: SessionRule.s1 is the case of S1"),
        ])
    func wrong(id: String, tests: String, fault: String) {
        #expect(RuleTable.faults(in: Self.table([id: tests]), files: Self.files) == [fault])
    }

    @Test("is invalid with a missing, repeated, or unknown rule")
    func rows() {
        let table = Self.table()
        let row = "| L5 | `ATests.first` |\n"
        #expect(
            RuleTable.faults(in: table.replacing(row, with: ""), files: Self.files) == ["L5: no row"])
        #expect(RuleTable.faults(in: table.replacing(row, with: row + row), files: Self.files) == ["L5: 2 rows"])
        #expect(
            RuleTable.faults(in: table.replacing(row, with: row + "| L7 | `ATests.first` |\n"), files: Self.files)
                == ["L7: no such rule"])
    }
}
