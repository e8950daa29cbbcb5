// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferModel
import TransferPolicy

/// The policies that weigh the cost against deadline, queue, and budget.
@Suite struct CostPolicyTests {
    private func say(_ name: String, _ subject: PolicySubject, _ context: PolicyContext) throws -> String {
        Sample.words(try PolicyCatalog.policy(named: name).verdict(for: subject, in: context))
    }

    @Test(
        "Plain policies, by power and price",
        arguments: [
            ("immediate", "run", "run", "run"), ("unmetered", "run", "metered", "metered"),
            ("strict", "onBattery", "metered", "onBattery,metered"),
            ("ladder", "onBattery @500.0", "metered @750.0", "onBattery,metered @500.0"),
        ])
    func plain(name: String, battery: String, metered: String, both: String) throws {
        let subject = Sample.subject(deadline: 1000)
        #expect(try say(name, subject, Sample.context()) == "run")
        #expect(try say(name, subject, Sample.context(.battery)) == battery)
        #expect(try say(name, subject, Sample.context(.ac, .yes)) == metered)
        #expect(try say(name, subject, Sample.context(.battery, .guessYes)) == both)
    }

    @Test(
        "latest-start: accepts any conditions when 1.5 times the needed time is left",
        arguments: [
            (839.999, "onBattery,metered @840.0"), (840, "run"), (999, "run"), (2000, "run"),
        ])
    func latestStart(second: Double, words: String) throws {
        // 106.67 s at the assumed 625 000 bytes per second, times 1.5: 160 s before the end.
        let subject = Sample.subject(deadline: 1000, total: 66_666_667)
        let context = Sample.context(.battery, .yes, at: second)
        let said = try say("latest-start", subject, context)
        #expect(said.hasPrefix(words.split(separator: "@")[0].description.trimmingSuffix))
        #expect(words == "run" ? said == "run" : said.contains("@839.99"))
    }

    @Test("latest-start: a measured rate replaces the assumed rate; an unknown size waits")
    func latestStartRate() throws {
        let seen = Sample.subject(deadline: 1000, total: 5000, done: 1000, rate: 10)
        #expect(try say("latest-start", seen, Sample.context(.battery, at: 399)) == "onBattery @400.0")
        #expect(try say("latest-start", seen, Sample.context(.battery, at: 400)) == "run")
        let unknown = Sample.subject(deadline: 1000)
        #expect(try say("latest-start", unknown, Sample.context(.battery, at: 999)) == "onBattery @1000.0")
        #expect(try say("latest-start", unknown, Sample.context(.battery, at: 1000)) == "run")
        #expect(try say("latest-start", Sample.subject(), Sample.context(.battery, at: 1e6)) == "onBattery")
        // A transfer that started in its last chance remains in the last chance while its rest shrinks.
        let running = Sample.subject(deadline: 1000, total: 5000, done: 4990, rate: 10, isRunning: true) {
            $0.start = .init(date: Sample.monday.advanced(by: .seconds(400)), bytesDone: 1000, rate: 10)
        }
        #expect(try say("latest-start", running, Sample.context(.battery, at: 500)) == "run")
    }

    /// Returns the history of a machine that had a free network half of the time, in contacts of 100 s.
    private func contacts(_ count: Int) -> PolicyHistory {
        var history = PolicyHistory()
        for step in 0...(2 * count) {
            var conditions = Sample.conditions()
            conditions.metered.value = step % 2 == 0 ? .yes : .no
            history.observe(
                .init(conditions, at: Sample.now.advanced(by: .seconds(Double(step - 2 * count) * 100))),
                localTime: .utc)
        }
        history.elapse(to: Sample.now.advanced(by: .seconds(100)), localTime: .utc)
        return history
    }

    @Test(
        "wiffler: waits while half of the remaining time is enough",
        arguments: [(0.0, "metered @900.0"), (899.0, "metered @900.0"), (900.0, "run"), (2000.0, "run")])
    func wiffler(second: Double, words: String) throws {
        // 50 s at 2 500 000 bytes per second, with a free network half of the time: 100 s before the end.
        let subject = Sample.subject(deadline: 1000, total: 125_000_000)
        let history = contacts(10)
        #expect(history.contacts.count == 10)
        let context = Sample.context(.battery, .yes, at: second) { $0.history = history }
        #expect(try say("wiffler", subject, context) == words)
        var free = context
        free.conditions.metered.value = .no
        #expect(try say("wiffler", subject, free) == "run")
    }

    @Test("wiffler: runs without contacts; waits without a deadline; waits for it without a size")
    func wifflerUnknown() throws {
        let subject = Sample.subject(deadline: 1000, total: 125_000_000)
        #expect(try say("wiffler", subject, Sample.context(.ac, .yes)) == "run")
        #expect(try say("wiffler", Sample.subject(total: 5), Sample.context(.ac, .yes)) == "metered")
        #expect(try say("wiffler", Sample.subject(deadline: 1000), Sample.context(.ac, .yes)) == "metered @1000.0")
    }

    @Test(
        "backlog: above 100 MB on battery, 400 MB metered, 500 MB on both",
        arguments: [
            (PowerSource.ac, Metered.no, 0, "run"), (.battery, .no, 100_000_000, "onBattery"),
            (.battery, .no, 100_000_001, "run @60.0"), (.ac, .yes, 400_000_000, "metered"),
            (.ac, .yes, 400_000_001, "run @60.0"), (.battery, .yes, 500_000_000, "onBattery,metered"),
            (.battery, .yes, 500_000_001, "run @60.0"), (.battery, .yes, Int64.max, "run @60.0"),
            (.unknown, .no, -5, "powerUnknown"),
        ])
    func backlog(power: PowerSource, metered: Metered, bytes: Int64, words: String) throws {
        let context = Sample.context(power, metered, at: 0) {
            $0.now.instant = Instant(nanoseconds: 1_020_000_000_000)
            $0.queue.discretionaryBytes = bytes
        }
        // The clock of `Sample` is 20 s behind this clock. The next whole minute is 60 s after this clock, and 80 s
        // after the clock of `Sample`.
        let said = try say("backlog", Sample.subject(), context)
        #expect(said == words.replacing("@60.0", with: "@80.0"))
    }

    @Test(
        "score: battery delays for an eighth of the time, metered for five eighths, both for all",
        arguments: [
            (PowerSource.battery, Metered.no, 1200.0), (.ac, .yes, 6000.0), (.battery, .yes, 9600.0),
        ])
    func score(power: PowerSource, metered: Metered, from: Double) throws {
        let subject = Sample.subject(deadline: 9600)
        for second in [0, from - 0.001] {
            let said = try say("score:period=1", subject, Sample.context(power, metered, at: second))
            #expect(said.hasSuffix("@\(from)"), "\(said)")
        }
        #expect(try say("score:period=1", subject, Sample.context(power, metered, at: from)) == "run")
        #expect(try say("score", subject, Sample.context()) == "run")
    }

    @Test("score: age counts in whole periods; an exhausted budget lowers the score")
    func scorePeriod() throws {
        let subject = Sample.subject(deadline: 9600)
        #expect(try say("score:period=1000", subject, Sample.context(.battery, at: 1500)) == "onBattery @2000.0")
        #expect(try say("score:period=1000", subject, Sample.context(.battery, at: 2000)) == "run")
        let spent = Sample.context(.battery, at: 2000) {
            $0.budgets.apps[""] = try? ByteBudget(limit: 0, billingDay: 1, at: Sample.monday, localTime: .utc)
        }
        #expect(try say("score:period=1000", subject, spent) == "onBattery @4000.0")
        #expect(try say("score", Sample.subject(), Sample.context(.battery)) == "onBattery @10800.0")
        #expect(try say("score:theta=1:budget=0", Sample.subject(), Sample.context(.battery)) == "onBattery")
    }

    @Test(
        "two-threshold: starts at zero cost, continues on battery, stops on metered",
        arguments: [
            (PowerSource.ac, Metered.no, false, "run"), (.battery, .no, false, "onBattery"),
            (.battery, .no, true, "run"), (.ac, .yes, true, "metered"), (.battery, .yes, true, "onBattery,metered"),
            (.unknown, .no, true, "run"), (.unknown, .no, false, "powerUnknown"),
        ])
    func twoThreshold(power: PowerSource, metered: Metered, isRunning: Bool, words: String) throws {
        #expect(
            try say("two-threshold", Sample.subject(isRunning: isRunning), Sample.context(power, metered)) == words)
    }

    @Test("two-threshold: a cost that equals the threshold is low enough")
    func twoThresholdEdge() throws {
        #expect(try say("two-threshold:low=1", Sample.subject(), Sample.context(.battery)) == "run")
        #expect(try say("two-threshold:low=0.99", Sample.subject(), Sample.context(.battery)) == "onBattery")
    }

    @Test("two-threshold: a changed condition must be stable for a minute")
    func debounceTime() throws {
        func context(at second: Double) -> PolicyContext {
            Sample.context(at: second) { $0.conditions.power.isObservedChange = true }
        }
        #expect(try say("two-threshold", Sample.subject(), context(at: 59.999)) == "settling @60.0")
        #expect(try say("two-threshold", Sample.subject(), context(at: 60)) == "run")
        #expect(try say("two-threshold", Sample.subject(isRunning: true), context(at: 1)) == "run")
        #expect(try say("two-threshold:dwell=0", Sample.subject(), context(at: 0)) == "run")
    }

    @Test("budget: spends at the pace of the month, and nothing above the limit")
    func budget() throws {
        // On Monday, November 23, 00:00, 22 of 30 days have passed, and 733.3 MB of 1000 MB may be spent.
        func context(spent: Int64, at second: Double = 0) -> PolicyContext {
            Sample.context(.ac, .yes, at: second) {
                $0.history.spending.charge(meteredBytes: spent, at: Sample.monday, localTime: .utc)
            }
        }
        #expect(try say("budget", Sample.subject(), context(spent: 733_000_000)) == "run")
        #expect(
            try say("budget", Sample.subject(), context(spent: 734_000_000)).hasPrefix("metered,budgetSpent @1728."))
        // 734 MB are due at 22.02 days, which is 1728 s later.
        #expect(try say("budget", Sample.subject(), context(spent: 734_000_000, at: 1728.1)) == "run")
        #expect(try say("budget", Sample.subject(isRunning: true), context(spent: 734_000_000)) == "run @60.0")
        #expect(
            try say("budget", Sample.subject(isRunning: true), context(spent: 1_000_000_000))
                == "metered,budgetSpent @691200.0")
        // A transfer that was just submitted pays nothing. A transfer at half of its time pays the even price.
        let dated = Sample.subject(deadline: 10_000)
        #expect(try say("budget", dated, context(spent: 0)) == "run")
        #expect(try say("budget", dated, context(spent: 700_000_000)).hasPrefix("metered,budgetSpent @47"))
        #expect(try say("budget:metered=0", dated, context(spent: 0)) == "metered,budgetSpent @691200.0")
        #expect(try say("budget", Sample.subject(), Sample.context()) == "run")
    }

    @Test("budget: limits battery charge per day")
    func battery() throws {
        func context(spent: Int, at second: Double) -> PolicyContext {
            Sample.context(.battery, at: second) {
                $0.history.spending.charge(batteryPercent: spent, at: Sample.monday, localTime: .utc)
            }
        }
        #expect(try say("budget", Sample.subject(), context(spent: 5, at: 43_200)) == "run")
        #expect(try say("budget", Sample.subject(), context(spent: 5, at: 43_199)) == "onBattery,budgetSpent @43200.0")
        #expect(try say("budget", Sample.subject(), context(spent: 10, at: 43_200)) == "onBattery,budgetSpent @86400.0")
        #expect(try say("budget", Sample.subject(), context(spent: 10, at: 86_400)) == "run")
    }
}

extension String {
    fileprivate var trimmingSuffix: String { String(reversed().drop { $0 == " " }.reversed()) }
}
