// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite struct HoursPolicyTests {
    private func verdict(
        level: Int?, power: PowerSource = .battery, metered: Metered = .no, share: Double? = nil,
        isRunning: Bool = false,
        total: Int64? = nil, done: Int64 = 0, rate: Int64? = nil
    ) -> Verdict {
        let conditions = Sample.conditions {
            $0.power.value = power
            $0.battery.value.level = level
            $0.metered.value = metered
        }
        // The deadline is 1000 s after the submission.
        let now = Sample.now.advanced(by: .seconds((share ?? 0) * 1000))
        let deadline = share.map { _ in DeadlineConstraint(Sample.monday.advanced(by: .seconds(1000))) }
        let traits = TransferTraits(
            kind: .discretionary, constraints: Constraints(deadline: deadline), host: "h", submitted: Sample.monday)
        let subject = PolicySubject(
            traits: traits, isRunning: isRunning, bytesDone: done, bytesTotal: total, rate: rate)
        return HoursPolicy().verdict(for: subject, in: PolicyContext(conditions: conditions, now: now))
    }

    @Test(
        "An unmetered network is required at every share of the time and on any power source",
        arguments: [nil, 0, 0.5, 0.75, 1, 2],
        PowerSource.allCases)
    func metered(share: Double?, power: PowerSource) {
        for metered in [Metered.yes, .guessYes] {
            #expect(Sample.codes(verdict(level: 100, power: power, metered: metered, share: share)).contains("metered"))
        }
    }

    @Test(
        "The required battery level falls with the elapsed share of the time",
        arguments: [
            (nil, 101, 101), (0, 101, 101), (0.499, 101, 101), (0.5, 51, 41), (0.749, 51, 41), (0.75, 21, 21),
            (0.999, 21, 21), (1, 0, 0), (5, 0, 0),
        ] as [(Double?, Int, Int)])
    func levels(share: Double?, toStart: Int, toGoOn: Int) {
        for level in 0...100 {
            let start = Sample.codes(verdict(level: level, share: share))
            #expect(start.isEmpty == (level >= toStart), "level \(level): \(start)")
            let goOn = Sample.codes(verdict(level: level, share: share, isRunning: true))
            #expect(goOn.isEmpty == (level >= toGoOn), "level \(level), running: \(goOn)")
        }
        #expect(Sample.codes(verdict(level: 0, power: .ac, share: share)).isEmpty)
        let unknown = Sample.codes(verdict(level: 100, power: .unknown, share: share))
        #expect(unknown == ((share ?? 0) >= 1 ? [] : ["powerUnknown"]))
    }

    @Test("The next re-evaluation is the next step with a different verdict")
    func reevaluations() {
        #expect(Sample.reevaluateAt(verdict(level: 80, share: 0)) == .seconds(500))
        #expect(Sample.reevaluateAt(verdict(level: 30, share: 0.5)) == .seconds(750))
        #expect(Sample.reevaluateAt(verdict(level: 10, share: 0.75)) == .seconds(1000))
        #expect(Sample.reevaluateAt(verdict(level: 80, power: .unknown, share: 0)) == .seconds(1000))
        #expect(Sample.reevaluateAt(verdict(level: 80, power: .ac, share: 0)) == nil)
        #expect(Sample.reevaluateAt(verdict(level: 80)) == nil)
    }

    @Test("The last chance accepts any battery; without size or rate there is no last chance")
    func lastChance() {
        // 4000 bytes at 10 bytes per second, times 1.5: 600 s before the end.
        #expect(Sample.codes(verdict(level: 1, share: 0.4, total: 5000, done: 1000, rate: 10)).isEmpty)
        #expect(Sample.codes(verdict(level: 1, share: 0.399, total: 5000, done: 1000, rate: 10)) == ["onBattery"])
        #expect(Sample.reevaluateAt(verdict(level: 1, share: 0.1, total: 5000, done: 1000, rate: 10)) == .seconds(400))
        #expect(!Sample.codes(verdict(level: 1, share: 0.99, total: nil, rate: 10)).isEmpty)
        #expect(!Sample.codes(verdict(level: 1, share: 0.99, total: 5000, rate: nil)).isEmpty)
        #expect(!Sample.codes(verdict(level: 1, share: 0.99, total: 5000, rate: 0)).isEmpty)
        #expect(!Sample.codes(verdict(level: 1, share: 0.9, total: .max, rate: 1)).isEmpty)
    }

    /// Returns the history of a laptop on AC and Wi-Fi during some hours of each of the last days, and on battery
    /// otherwise.
    private func history(days: Int, mainsIn hours: Set<Int>, isAwake: Bool = true) -> PolicyHistory {
        var history = PolicyHistory()
        for hour in -24 * days..<0 {
            let conditions = Sample.conditions {
                $0.power.value = hours.contains((hour + 24 * days) % 24) ? .ac : .battery
                $0.sleep.value = isAwake ? .awake : .aboutToSleep
            }
            history.observe(
                .init(conditions, at: Sample.now.advanced(by: .seconds(3600 * hour))), localTime: .utc)
        }
        history.elapse(to: Sample.now.advanced(by: .nanoseconds(1)), localTime: .utc)
        return history
    }

    /// Returns the verdict on battery at Monday 00:00 for a transfer whose deadline is `hours` ahead.
    private func word(_ hours: Int64, _ history: PolicyHistory, level: Int = 80, isRunning: Bool = false) -> String {
        let context = Sample.context(.battery) {
            $0.history = history
            $0.conditions.battery.value.level = level
        }
        let subject = Sample.subject(deadline: hours * 3600, isRunning: isRunning)
        return Sample.codes(HoursPolicy().verdict(for: subject, in: context)).first ?? "run"
    }

    @Test("Battery is accepted if the usual hours on AC power come too late for the deadline")
    func statistics() {
        // AC from 10:00 to 12:00: ten hours and nine, in steps of three hours.
        let office = history(days: 2, mainsIn: [10, 11])
        #expect([20, 21, 22, 30].map { word($0, office) } == ["run", "run", "onBattery", "onBattery"])
        #expect(word(24, office, isRunning: true) == "run", "what began goes on for a step more")
        #expect(word(25, office, isRunning: true) == "onBattery")
        #expect(word(20, office, level: 21) == "run")
        #expect(word(20, office, level: 20) == "batteryLow")
        // The laptop is at home on AC now. The plug may be pulled, and comes back.
        #expect([9, 10].map { word($0, history(days: 2, mainsIn: [0])) } == ["run", "onBattery"])
        #expect([24, 25].map { word($0, history(days: 2, mainsIn: [])) } == ["run", "onBattery"])
        #expect(word(25, history(days: 2, mainsIn: []), isRunning: true) == "onBattery", "further ahead than a day")
    }

    @Test("Nothing is predicted before every hour was observed; sleep on AC power is not a good hour")
    func unlearned() {
        var short = PolicyHistory()
        short.observe(
            .init(Sample.conditions { $0.power.value = .battery }, at: Sample.now.advanced(by: .seconds(-20 * 3600))),
            localTime: .utc)
        short.elapse(to: Sample.now, localTime: .utc)
        #expect(word(6, short) == "onBattery")
        #expect(word(6, PolicyHistory()) == "onBattery")
        #expect(word(6, history(days: 2, mainsIn: Set(0..<24))) == "run")
        #expect(word(24, history(days: 2, mainsIn: Set(0..<24))) == "onBattery")
        #expect(word(24, history(days: 2, mainsIn: Set(0..<24), isAwake: false)) == "run")
    }

    @Test("A good hour is remembered for a day, a habit for several")
    func memory() {
        var history = history(days: 2, mainsIn: [10])
        #expect(history.day.hours(toPromising: true, from: Sample.monday) == 10)
        func live(_ days: Range<Int>, onMains: Bool) {
            for hour in days.lowerBound * 24..<days.upperBound * 24 {
                let conditions = Sample.conditions { $0.power.value = onMains && hour % 24 == 10 ? .ac : .battery }
                history.observe(
                    .init(conditions, at: Sample.now.advanced(by: .seconds(3600 * hour))), localTime: .utc)
            }
        }
        live(0..<2, onMains: false)
        #expect(history.day.hours(toPromising: true, from: Sample.monday) == nil)
        live(2..<8, onMains: true)
        live(8..<11, onMains: false)
        #expect(history.day.hours(toPromising: true, from: Sample.monday) == 10)
        live(11..<14, onMains: false)
        #expect(history.day.hours(toPromising: true, from: Sample.monday) == nil)
    }

    @Test("A metered network is accepted only after the configured share of the time")
    func meteredShare() {
        let subject = Sample.subject(deadline: 1000)
        for (share, permissions) in [(0.9, ["metered", "run"]), (2, ["metered", "metered"])] {
            let words = [899.0, 900].map { second in
                let context = Sample.context(.ac, .yes, at: second)
                return Sample.codes(HoursPolicy(meteredShare: share).verdict(for: subject, in: context)).first
            }
            #expect(words.map { $0 ?? "run" } == permissions)
        }
    }
}
