// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

/// The policies without a model, and what the scheduler learns from the hours of the week.
@Suite struct PlainPolicyTests {
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
        #expect(try say("default", Sample.subject(), context(at: 0)) == "onBattery @259200.0")
        #expect(try say("default", Sample.subject(), context(at: 259_199.5)) == "onBattery @259200.0")
        #expect(try say("default", Sample.subject(), context(at: 259_200)) == "run")
        #expect(try say("default", Sample.subject(), context(at: 259_200, .yes)) == "metered")
        #expect(try say("horizon:patience=inf", Sample.subject(), context(at: 1e7)).hasPrefix("onBattery"))
        #expect(try say("horizon:patience=0", Sample.subject(), context(at: 0)) == "run")
    }
}
