// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy

@Suite struct DefaultPolicyTests {
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
        // The deadline lies 1000 s after the submission.
        let now = Sample.now.advanced(by: .seconds((share ?? 0) * 1000))
        let deadline = share.map { _ in DeadlineConstraint(Sample.monday.advanced(by: .seconds(1000))) }
        let traits = TransferTraits(
            kind: .discretionary, constraints: Constraints(deadline: deadline), host: "h", submitted: Sample.monday)
        let subject = PolicySubject(
            traits: traits, isRunning: isRunning, bytesDone: done, bytesTotal: total, rate: rate)
        return DefaultPolicy().verdict(for: subject, in: PolicyContext(conditions: conditions, now: now))
    }

    @Test(
        "Unmetered is hard at every share of the time, on every power", arguments: [nil, 0, 0.5, 0.75, 1, 2],
        PowerSource.allCases)
    func metered(share: Double?, power: PowerSource) {
        for metered in [Metered.yes, .guessYes] {
            #expect(Sample.codes(verdict(level: 100, power: power, metered: metered, share: share)).contains("metered"))
        }
    }

    @Test(
        "Battery level that is enough, by the share of the time that is gone",
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

    @Test("The next look is the next step that says something else")
    func looks() {
        #expect(Sample.lookAgain(verdict(level: 80, share: 0)) == .seconds(500))
        #expect(Sample.lookAgain(verdict(level: 30, share: 0.5)) == .seconds(750))
        #expect(Sample.lookAgain(verdict(level: 10, share: 0.75)) == .seconds(1000))
        #expect(Sample.lookAgain(verdict(level: 80, power: .unknown, share: 0)) == .seconds(1000))
        #expect(Sample.lookAgain(verdict(level: 80, power: .ac, share: 0)) == nil)
        #expect(Sample.lookAgain(verdict(level: 80)) == nil)
    }

    @Test("In the last chance any battery will do; without a size or a rate there is none")
    func lastChance() {
        // 4000 bytes at 10 a second, times 1.5: 600 s before the end.
        #expect(Sample.codes(verdict(level: 1, share: 0.4, total: 5000, done: 1000, rate: 10)).isEmpty)
        #expect(Sample.codes(verdict(level: 1, share: 0.399, total: 5000, done: 1000, rate: 10)) == ["onBattery"])
        #expect(Sample.lookAgain(verdict(level: 1, share: 0.1, total: 5000, done: 1000, rate: 10)) == .seconds(400))
        #expect(!Sample.codes(verdict(level: 1, share: 0.99, total: nil, rate: 10)).isEmpty)
        #expect(!Sample.codes(verdict(level: 1, share: 0.99, total: 5000, rate: nil)).isEmpty)
        #expect(!Sample.codes(verdict(level: 1, share: 0.99, total: 5000, rate: 0)).isEmpty)
        #expect(!Sample.codes(verdict(level: 1, share: 0.9, total: .max, rate: 1)).isEmpty)
    }
}
