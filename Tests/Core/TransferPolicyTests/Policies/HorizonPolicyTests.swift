// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferModel
import TransferPolicy

@Suite struct HorizonPolicyTests {
    private static let hour: Int64 = 3600

    /// Returns the verdict `hours` before the deadline, which is 100 h after the submission.
    private func say(
        _ policy: HorizonPolicy = HorizonPolicy(), _ power: PowerSource = .battery, _ metered: Metered = .no,
        hoursLeft: Double, longest hours: Int64 = 0, level: Int = 80, change: (inout PolicySubject) -> Void = { _ in }
    ) -> String {
        let subject = Sample.subject(deadline: 100 * Self.hour, change: change)
        let context = Sample.context(power, metered, at: (100 - hoursLeft) * 3600) {
            $0.history = Self.history(longest: hours, at: $0.now)
            $0.conditions.battery.value.level = level
        }
        switch policy.verdict(for: subject, in: context) {
        case .run: return "run"
        case .wait(let reasons, let reevaluation):
            let left = reevaluation.map { at in
                let date = context.now.wall(at: at)
                return Double(date.duration(to: Sample.monday.advanced(by: .seconds(360_000))).wholeNanoseconds)
                    / 3600e9
            }
            return reasons.map(\.reason.code).joined(separator: "+") + (left.map { " until \($0)" } ?? "")
        }
    }

    /// Returns the history of a machine that has just returned to an unmetered network after a number of hours.
    private static func history(longest hours: Int64, at now: ClockReading) -> PolicyHistory {
        var history = PolicyHistory()
        guard hours > 0 else { return history }
        let good = Sample.conditions()
        history.observe(.init(good, at: now.advanced(by: .seconds(-hours * 3600))), localTime: .utc)
        let away = Sample.conditions { $0.metered.value = .yes }
        history.observe(.init(away, at: now.advanced(by: .seconds(-hours * 3600))), localTime: .utc)
        history.observe(.init(good, at: now), localTime: .utc)
        return history
    }

    @Test("On battery, work waits for AC power until 42 hours before its deadline")
    func floor() {
        #expect(say(hoursLeft: 90) == "onBattery until 42.0")
        #expect(say(hoursLeft: 42.001) == "onBattery until 42.0")
        #expect(say(hoursLeft: 42) == "run")
        #expect(say(hoursLeft: -5) == "run")
        #expect(say(HorizonPolicy(), .ac, hoursLeft: 90) == "run")
    }

    @Test("The horizon is twice the longest time without an unmetered network, if that is longer than the floor")
    func longestAway() {
        #expect(say(hoursLeft: 90, longest: 21) == "onBattery until 42.0")
        #expect(say(hoursLeft: 90, longest: 31) == "onBattery until 62.0")
        #expect(say(hoursLeft: 62, longest: 31) == "run")
        #expect(
            say(HorizonPolicy(floor: .seconds(36_000), factor: 1.5), hoursLeft: 90, longest: 20)
                == "onBattery until 30.0")
    }

    @Test("The time that the remaining bytes need, times 1.5, comes off the slack")
    func need() {
        // 72 MB at 10 kB/s take 2 h.
        func large(_ subject: inout PolicySubject) {
            (subject.bytesTotal, subject.bytesDone, subject.rate) = (73_000_000, 1_000_000, 10_000)
        }
        #expect(say(hoursLeft: 90, change: large) == "onBattery until 45.0")
        #expect(say(hoursLeft: 45, change: large) == "run")
    }

    @Test("A metered network is never used unless the policy or the transfer allows it, and only before the deadline")
    func metered() {
        for power in [PowerSource.ac, .battery] {
            #expect(say(HorizonPolicy(), power, .yes, hoursLeft: 1).hasPrefix("metered"))
            #expect(say(HorizonPolicy(), power, .yes, hoursLeft: -1).hasPrefix("metered"))
        }
        let policy = HorizonPolicy(metered: .seconds(15 * 3600))
        #expect(say(policy, .ac, .yes, hoursLeft: 20) == "metered until 15.0")
        #expect(say(policy, .ac, .yes, hoursLeft: 15) == "run")
        #expect(say(policy, .battery, .yes, hoursLeft: 90) == "onBattery+metered until 42.0")
        #expect(say(policy, .battery, .yes, hoursLeft: 0.001) == "run")
        #expect(say(policy, .battery, .yes, hoursLeft: 0) == "metered")
        func allowing(_ subject: inout PolicySubject) { subject.traits.constraints.metered = .allowed }
        #expect(say(HorizonPolicy(), .ac, .yes, hoursLeft: 20, change: allowing) == "metered until 15.0")
        #expect(say(HorizonPolicy(), .ac, .yes, hoursLeft: 15, change: allowing) == "run")
        // A transfer that allows metered networks itself keeps the permission.
        #expect(say(HorizonPolicy(), .ac, .yes, hoursLeft: -1, change: allowing) == "run")
    }

    @Test("Unknown power means a wait, even after the deadline")
    func unknown() {
        for hours in [90.0, 10, -1] {
            #expect(say(HorizonPolicy(), .unknown, hoursLeft: hours).hasPrefix("powerUnknown"))
        }
    }

    @Test("A required charge applies until 3.5 hours before the deadline")
    func level() {
        let policy = HorizonPolicy(level: 20)
        #expect(say(policy, hoursLeft: 90, level: 20) == "onBattery until 42.0")
        #expect(say(policy, hoursLeft: 42, level: 20) == "batteryLow until 3.5")
        #expect(say(policy, hoursLeft: 42, level: 21) == "run")
        #expect(say(policy, hoursLeft: 3.5, level: 1) == "run")
    }

    @Test(
        "A share of the time to the deadline is reserved for AC power, unless the transfer needs it",
        arguments: [
            // Hours to the deadline, share, hours that the bytes need with safety, and the hours left from which battery
            // is acceptable. The first is "--by 'tomorrow 18:00'" at 17:03.
            (25, 0.5, 0, 12.5), (25, 0, 0, 42), (25, 1, 0, 0.25), (168, 0.5, 0, 42), (168, 1, 0, 0.25),
            (80, 0.5, 0, 40),
            (25, 0.5, 15, 15.25), (25, 1, 15, 15.25), (168, 0.5, 50, 84), (168, 0.5, 20, 62), (0.2, 0.5, 0, 0.25),
        ])
    func share(hours: Double, share: Double, need: Double, expected: Double) throws {
        let policy = HorizonPolicy(factor: 0, share: share)
        var subject = Sample.subject(deadline: Int64(hours * 3600))
        if need > 0 { (subject.bytesTotal, subject.rate) = (Int64(need * 3600 / 1.5 * 1000), 1000) }
        let from = Sample.monday.advanced(by: .seconds((hours - expected) * 3600))
        let outlook = policy.outlook(for: subject, in: Sample.context(.battery))
        #expect(outlook?.batteryFrom == (hours > expected ? from : nil))
        #expect(
            outlook.map { $0.basis == .reserved } ?? true == (hours / 2 == expected || hours < expected || need == 50))
        func codes(at date: WallTime) -> [String] {
            let second = Double(Sample.monday.duration(to: date).wholeNanoseconds) / 1e9
            return Sample.codes(policy.verdict(for: subject, in: Sample.context(.battery, at: second)))
        }
        #expect(codes(at: max(from, Sample.monday)).isEmpty)
        if hours > expected { #expect(codes(at: from.advanced(by: .seconds(-1))) == ["onBattery"]) }
    }

    @Test("A running transfer on battery continues, although the time it needs shrinks faster than the time left")
    func running() {
        let policy = HorizonPolicy()
        let start = PolicySubject.Start(
            date: Sample.monday.advanced(by: .seconds(55 * 3600)), bytesDone: 1_000_000, rate: 10_000)
        #expect(
            say(policy, hoursLeft: 44) {
                ($0.bytesTotal, $0.bytesDone, $0.rate) = (73_000_000, 37_000_000, 10_000)
                ($0.isRunning, $0.start) = (true, start)
            } == "run")
    }

    @Test("A transfer without a deadline waits for AC power, for at most three days")
    func undated() {
        var history = PolicyHistory()
        history.observe(.init(Sample.conditions { $0.power.value = .battery }, at: Sample.now), localTime: .utc)
        func say(at second: Double, _ metered: Metered = .no) -> [String] {
            let context = Sample.context(.battery, metered, at: second) { $0.history = history }
            return Sample.codes(HorizonPolicy().verdict(for: Sample.subject(), in: context))
        }
        #expect(say(at: 259_199) == ["onBattery"])
        #expect(say(at: 259_200) == [])
        #expect(say(at: 259_200, .yes) == ["metered"])
    }

    @Test(
        "The outlook leaves out the dates at which the battery is too low",
        arguments: [(21, 12.5), (20, 21.5), (nil, 21.5)])
    func lowBattery(level: Int?, hour: Double) {
        let context = Sample.context(.battery) { $0.conditions.battery.value.level = level }
        let outlook = HorizonPolicy(factor: 0, level: 20, share: 0.5)
            .outlook(for: Sample.subject(deadline: 25 * Self.hour), in: context)
        #expect(outlook?.batteryFrom == Sample.monday.advanced(by: .seconds(hour * 3600)))
        #expect(outlook?.basis == (hour < 20 ? .reserved : .need))
    }

    @Test("The outlook names the date from which battery is acceptable, and the longest time away")
    func outlook() {
        let subject = Sample.subject(deadline: 100 * Self.hour)
        let context = Sample.context(.battery) { $0.history = Self.history(longest: 31, at: $0.now) }
        let expected = PowerOutlook(
            batteryFrom: Sample.monday.advanced(by: .seconds(38 * Self.hour)), basis: .absence(.seconds(31 * Self.hour))
        )
        #expect(HorizonPolicy().outlook(for: subject, in: context) == expected)
        #expect(HorizonPolicy().outlook(for: Sample.subject(), in: context) == nil)
        #expect(HorizonPolicy().outlook(for: Sample.subject(deadline: 3600), in: context) == nil)
    }
}
