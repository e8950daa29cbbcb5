// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferModel
import TransferPolicy

/// The policies that depend on time: batches, windows, quotas, and habits.
@Suite struct TimedPolicyTests {
    private func say(_ name: String, _ subject: PolicySubject, _ context: PolicyContext) throws -> String {
        Sample.words(try PolicyCatalog.policy(named: name).verdict(for: subject, in: context))
    }

    @Test("batch: waits an hour, or until the first deadline; joins transfers up to 9 s after them")
    func batch() throws {
        let subject = Sample.subject()
        #expect(try say("batch", subject, Sample.context()) == "held @3600.0")
        #expect(try say("batch", subject, Sample.context(at: 3600)) == "run")
        func context(at second: Double, _ queue: QueueSummary) -> PolicyContext {
            Sample.context(at: second) { $0.queue = queue }
        }
        let due = QueueSummary(firstDeadline: Sample.monday.advanced(by: .seconds(100)))
        #expect(try say("batch", subject, context(at: 0, due)) == "held @100.0")
        #expect(try say("batch", subject, context(at: 100, due)) == "run")
        #expect(try say("batch", subject, context(at: 5, QueueSummary(runningCount: 1))) == "run")
        let active = QueueSummary(lastActivity: Sample.now.instant)
        #expect(try say("batch", subject, context(at: 8.5, active)) == "run @9.0")
        #expect(try say("batch", subject, context(at: 9, active)) == "held @3600.0")
        #expect(try say("batch", Sample.subject(isRunning: true), Sample.context()) == "run")
        // 100 s at 625 000 bytes per second before its own deadline.
        let own = Sample.subject(deadline: 1000, total: 62_500_000)
        #expect(try say("batch", own, Sample.context()) == "held @900.0")
        #expect(try say("batch", own, Sample.context(at: 900)) == "run")
    }

    @Test(
        "window: gaps of 1, 2, 4, 6, 6 h and windows of 5, 10, 10 min after the loss of AC power",
        arguments: [
            (0, "outsideWindow @3600.0"), (3599, "outsideWindow @3600.0"), (3600, "run @3900.0"),
            (3900, "outsideWindow @11100.0"), (11_100, "run @11700.0"), (11_700, "outsideWindow @26100.0"),
            (26_100, "run @26700.0"), (26_700, "outsideWindow @48300.0"), (48_300, "run @48900.0"),
            (48_900, "outsideWindow @70500.0"), (70_500, "run @71100.0"),
        ] as [(Double, String)])
    func window(second: Double, words: String) throws {
        #expect(try say("window", Sample.subject(), Sample.context(.battery, at: second)) == words)
        #expect(try say("window", Sample.subject(), Sample.context(.unknown, .yes, at: second)) == words)
        #expect(try say("window", Sample.subject(), Sample.context(.ac, at: second)) == "run")
    }

    /// Returns the history of an app whose transfers ran for `seconds` until Monday 00:00. The app was last used
    /// `hours` before.
    private func ran(_ seconds: Double, lastUse hours: Int64?) -> PolicyHistory {
        var history = PolicyHistory()
        let conditions = Sample.conditions()
        history.observe(
            .init(conditions, at: Sample.now.advanced(by: .seconds(-seconds)), runningApps: ["app"]), localTime: .utc)
        history.observe(.init(conditions, at: Sample.now), localTime: .utc)
        if let hours { history.apps.used("app", at: Sample.monday.advanced(by: .seconds(-3600 * hours))) }
        return history
    }

    @Test(
        "quota: ten minutes in 2, 8, or 24 hours by last use; no limit if recent or charging",
        arguments: [
            (600, 11, 1, "run @3600.0"), (600, 12, 1, "budgetSpent @6630.0"), (570, 12, 0, "run @43200.0"),
            (570.5, 12, 0, "budgetSpent @6630.0"), (600, 12, 6630, "run @43200.0"),
            (600, 23, 0, "budgetSpent @3600.0"),
            (600, 24, 0, "budgetSpent @28230.0"), (600, 47, 0, "budgetSpent @3600.0"),
            (600, 48, 0, "budgetSpent @85830.0"), (600, nil, 0, "budgetSpent @85830.0"), (0, nil, 0, "run"),
        ] as [(Double, Int64?, Double, String)])
    func quota(ran seconds: Double, lastUse: Int64?, at second: Double, words: String) throws {
        let history = ran(seconds, lastUse: lastUse)
        let context = Sample.context(.battery, at: second) { $0.history = history }
        #expect(try say("quota", Sample.subject(app: "app"), context) == words)
        #expect(try say("quota", Sample.subject(app: "other"), context) == "run")
        let charging = Sample.context(.ac, at: second) { $0.history = history }
        #expect(try say("quota", Sample.subject(app: "app"), charging) == "run")
    }

    @Test("quota: a running transfer uses the quota to the last second")
    func quotaRunning() throws {
        let history = ran(590, lastUse: nil)
        var running = history
        running.observe(
            .init(Sample.conditions(), at: Sample.now, runningApps: ["app"]), localTime: .utc)
        let subject = Sample.subject(isRunning: true, app: "app")
        #expect(
            try say("quota", subject, Sample.context(.battery, at: 0) { $0.history = running }) == "run @10.0")
        #expect(
            try say("quota", subject, Sample.context(.battery, at: 9) { $0.history = running }) == "run @10.0")
        #expect(
            try say("quota", subject, Sample.context(.battery, at: 10) { $0.history = running })
                .hasPrefix("budgetSpent"))
    }

    /// Returns the history of a machine with good conditions from 02:00 to 04:00 every day of the last `weeks`.
    private func nights(_ weeks: Int64) -> PolicyHistory {
        var history = PolicyHistory()
        for hour in (-168 * weeks)...0 {
            let isGood = [2, 3].contains(((hour % 24) + 24) % 24)
            let conditions = Sample.conditions { $0.power.value = isGood ? .ac : .battery }
            history.observe(
                .init(conditions, at: Sample.now.advanced(by: .seconds(3600 * hour))), localTime: .utc)
        }
        history.elapse(to: Sample.now.advanced(by: .seconds(1)), localTime: .utc)
        return history
    }

    @Test(
        "habit: waits for the last good hour before the deadline, then accepts any unmetered network",
        arguments: [
            (3, 36_000, 0, "onBattery @14400.0"), (3, 36_000, 14_399, "onBattery @14400.0"), (3, 36_000, 14_400, "run"),
            (3, 7200, 0, "run"), (3, 7201, 0, "onBattery @7201.0"), (2, 36_000, 20_000, "onBattery @36000.0"),
            (3, nil, 0, "onBattery @532800.000000001"), (3, nil, 50_000, "onBattery @619200.000000001"),
        ] as [(Int64, Int64?, Double, String)])
    func habit(weeks: Int64, deadline: Int64?, at second: Double, words: String) throws {
        let history = nights(weeks)
        let context = Sample.context(.battery, at: second) { $0.history = history }
        #expect(try say("habit", Sample.subject(deadline: deadline), context) == words)
    }

    @Test("habit: metered only in the last chance; immediately under good conditions")
    func habitLast() throws {
        let history = nights(3)
        func context(_ power: PowerSource, _ metered: Metered, at second: Double) -> PolicyContext {
            Sample.context(power, metered, at: second) { $0.history = history }
        }
        let subject = Sample.subject(deadline: 36_000)
        #expect(try say("habit", subject, context(.battery, .yes, at: 20_000)) == "metered @36000.0")
        #expect(try say("habit", subject, context(.battery, .yes, at: 36_000)) == "run")
        #expect(try say("habit", subject, context(.ac, .no, at: 0)) == "run")
    }

    @Test("Hours of the week: three samples, half an hour each, and old weeks fade")
    func week() {
        let history = nights(3)
        func chance(_ hour: Int64, samples: Int = 3) -> Double? {
            history.week.chance(
                at: Sample.monday.advanced(by: .seconds(3600 * hour)), localTime: .utc, decayWeeks: 4, samples: samples)
        }
        #expect(chance(2) == 1)
        #expect(chance(4) == 0)
        #expect(chance(2, samples: 4) == nil)
        #expect(
            history.week.nextChance(after: Sample.monday, localTime: .utc)
                == Sample.monday.advanced(by: .seconds(7200)))
        #expect(nights(2).week.nextChance(after: Sample.monday, localTime: .utc) == nil)
    }

    @Test("default: waits three days of awake time for AC power; keeps waiting for unmetered")
    func patience() throws {
        var history = PolicyHistory()
        history.observe(.init(Sample.conditions { $0.power.value = .battery }, at: Sample.now), localTime: .utc)
        func context(at second: Double, _ metered: Metered = .no) -> PolicyContext {
            Sample.context(.battery, metered, at: second) { $0.history = history }
        }
        #expect(try say("hours", Sample.subject(), context(at: 0)) == "onBattery @259200.0")
        #expect(try say("hours", Sample.subject(), context(at: 259_199.5)) == "onBattery @259200.0")
        #expect(try say("hours", Sample.subject(), context(at: 259_200)) == "run")
        #expect(try say("hours", Sample.subject(), context(at: 259_200, .yes)) == "metered")
        #expect(try say("default:patience=inf", Sample.subject(), context(at: 1e7)).hasPrefix("onBattery"))
        #expect(try say("default:patience=0", Sample.subject(), context(at: 0)) == "run")
    }
}
