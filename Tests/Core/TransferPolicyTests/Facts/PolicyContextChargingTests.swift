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

    private func spentBytes(_ context: PolicyContext) -> Int64 {
        context.history.spending.meteredBytes(at: Sample.monday, localTime: .utc)
    }

    private func spentPercent(_ context: PolicyContext) -> Int64 {
        context.history.spending.batteryPercent(at: Sample.monday, localTime: .utc)
    }

    @Test("Bytes are charged once; the result says whether a budget's state changed")
    func bytes() throws {
        var context = try context()
        let changes = [30, 15, 4, 5, 20, 9].map { context.charge(meteredBytes: $0, app: "photos") }
        // The app's budget is nearly used up from 40 on, and used up from 50 on; the connection's at 80 and 100.
        #expect(changes == [false, true, false, true, false, true])
        #expect(spentBytes(context) == 83)
        #expect(context.budgets.remaining(connection: "phone", app: "other", at: Sample.monday, localTime: .utc) == 17)
    }

    @Test("Without budgets, bytes are charged and no state changes")
    func noBudgets() throws {
        var context = try context()
        context.budgets = ByteBudgetRegistry()
        let isChanged = context.charge(meteredBytes: 1000, app: "photos")
        #expect(!isChanged)
        #expect(spentBytes(context) == 1000)
        #expect(context.budgets.isEmpty)
    }

    @Test("Battery loss is charged while on battery; charging gives nothing back")
    func battery() throws {
        var context = try context()
        context.conditions.battery.value.level = 80
        func charge(_ power: PowerSource, _ level: Int?) {
            var new = context.conditions
            (new.power.value, new.battery.value.level) = (power, level)
            context.chargeBattery(until: new)
            context.conditions = new
        }
        charge(.battery, 77)
        #expect(spentPercent(context) == 3)
        charge(.battery, 79)
        charge(.ac, 60)
        charge(.battery, 50)
        charge(.battery, nil)
        charge(.battery, 40)
        #expect(spentPercent(context) == 3)
        charge(.battery, 38)
        #expect(spentPercent(context) == 5)
    }
}
