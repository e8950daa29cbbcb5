// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Code lines of each target")
struct BudgetsTests {
    @Test("this project follows the rule")
    func tree() {
        #expect(Budgets.counts(in: SourceTree.files).count > 50)
        #expect(Budgets.faults(in: SourceTree.files) == [])
    }

    @Test("a folder above its budget, far below it, or without one is found; blank lines and comments do not count")
    func found() {
        let text = "// a\n\nlet a = 1\n    /// b\n    let b = 2  // c\n"
        let files = [SourceFile(path: "Sources/A/B/C/d.swift", text: text)]
        #expect(Budgets.counts(in: files) == ["Sources/A/B": 2])
        #expect(Budgets.faults(in: files, budgets: ["Sources/A/B": 2]) == [])
        #expect(Budgets.faults(in: files, budgets: ["Sources/A/B": 1]).count == 1)
        #expect(Budgets.faults(in: files, budgets: [:]).count == 1)
        #expect(Budgets.faults(in: files, budgets: ["Sources/A/B": 3 + Budgets.slack]).count == 1)
    }
}
