// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("The table of rules and their tests")
struct RuleTableTests {
    private static let path = "Sources/Client/BackgroundTransfer/BackgroundTransfer.docc/Rules.md"

    /// A small project without faults.
    private static let files = [
        SourceFile(
            path: "Sources/Testing/TransferTesting/Sessions/SessionRule.swift",
            text: "    case s1 = \"S1: one\"\n    case t2 = \"T2: two\"\n"),
        SourceFile(
            path: "Tests/ATests/ATests.swift",
            text: "struct ATests {\n@Test(\"a (b)\", arguments: [1])\nfunc first(_ a: Int) {}\nfunc helper() {}\n}\n"),
    ]

    private static func table(_ rows: [String: String] = [:]) -> String {
        "# Rules\n\n| Rule | Tests |\n|---|---|\n"
            + RuleTable.ids.map { "| \($0) | \(rows[$0] ?? "`ATests.first`") |\n" }.joined() + "\n`Words` after it.\n"
    }

    @Test("names every rule, and tests that there are")
    func tree() throws {
        let file = try #require(SourceTree.files.first { $0.path == Self.path })
        #expect(RuleTable.faults(in: file.text, files: SourceTree.files) == [])
    }

    @Test("is right where every rule has a test or a case of its own")
    func right() {
        #expect(RuleTable.ids.count == 38)
        let table = Self.table(["S1": "`SessionRule.s1`, `ATests.first`"])
        #expect(RuleTable.faults(in: table, files: Self.files) == [])
    }

    @Test(
        "is wrong where a test does not exist, or is none, or a case is another rule's",
        arguments: [
            ("S1", "`ATests.second`", "S1: there is no test ATests.second"),
            ("S1", "`ATests.first`, `ATests.helper`", "S1: there is no test ATests.helper"),
            ("T3", "`BTests.first`", "T3: there is no test BTests.first"), ("R6", "later", "R6: no test"),
            ("T2", "`SessionRule.t3`", "T2: there is no SessionRule.t3"),
            ("T2", "`SessionRule.s1`", "T2: SessionRule.s1 is the case of S1"),
        ])
    func wrong(id: String, tests: String, fault: String) {
        #expect(RuleTable.faults(in: Self.table([id: tests]), files: Self.files) == [fault])
    }

    @Test("is wrong where a rule is missing, named twice, or none")
    func rows() {
        let table = Self.table()
        let row = "| L5 | `ATests.first` |\n"
        #expect(
            RuleTable.faults(in: table.replacing(row, with: ""), files: Self.files) == ["L5: no row"])
        #expect(RuleTable.faults(in: table.replacing(row, with: row + row), files: Self.files) == ["L5: 2 rows"])
        #expect(
            RuleTable.faults(in: table.replacing(row, with: row + "| L6 | `ATests.first` |\n"), files: Self.files)
                == ["L6: there is no such rule"])
    }
}
