// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("What transfers cost, in a policy's context")
struct PolicyContextChargingTests {
    /// A metered connection with a budget of 100 bytes, which an app shares that has one of 50.
    private func context() throws -> PolicyContext {
        var budgets = ByteBudgetRegistry()
        budgets.connections["phone"] = try ByteBudget(limit: 100, billingDay: 1, at: Sample.monday, localTime: .utc)
        budgets.apps["photos"] = try ByteBudget(limit: 50, billingDay: 1, at: Sample.monday, localTime: .utc)
        return Sample.context(.battery, .yes) {
            $0.budgets = budgets
            $0.conditions.connection.value = "phone"
        }
    }

    @Test("Bytes are charged once; the result says whether a budget's state changed")
    func bytes() throws {
        var context = try context()
        let changes = [30, 15, 4, 5, 20, 9].map { context.charge(meteredBytes: $0, app: "photos") }
        // The app's budget is nearly used up from 40 on, and used up from 50 on; the connection's at 80 and 100.
        #expect(changes == [false, true, false, true, false, true])
        #expect(context.budgets.remaining(connection: "phone", app: "other", at: Sample.monday, localTime: .utc) == 17)
    }

    @Test("Without budgets, no state changes")
    func noBudgets() throws {
        var context = try context()
        context.budgets = ByteBudgetRegistry()
        let isChanged = context.charge(meteredBytes: 1000, app: "photos")
        #expect(!isChanged)
        #expect(context.budgets.isEmpty)
    }
}
