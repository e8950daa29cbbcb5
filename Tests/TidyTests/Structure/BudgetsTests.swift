// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite("Code lines of each target")
struct BudgetsTests {
    @Test("this project follows the rule")
    func tree() {
        #expect(Budgets.counts(in: SourceTree.files).count > 50)
        #expect(Budgets.faults(in: SourceTree.files) == [])
    }
}
