// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import TransferScheduling

/// Tests of the verdict for programs that transfer nothing.
@Suite("The verdict on discretionary work")
struct DiscretionaryVerdictTests {
    private let start = ClockReading(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    private func at(_ seconds: Double) -> ClockReading { start.advanced(by: .seconds(seconds)) }

    private func goodConditions() -> Conditions {
        var conditions = Conditions(unknownSince: start)
        conditions.power = Fact(.ac, source: .upower, since: start)
        conditions.network = Fact(.full, source: .kernel, since: start)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: start)
        conditions.metered = Fact(.no, source: .networkManager, since: start)
        return conditions
    }

    private func verdict() -> DiscretionaryVerdict { DiscretionaryVerdict(policy: PatiencePolicy(), at: start) }

    @Test("Is positive immediately under good conditions that were not seen to change")
    func good() {
        var verdict = verdict()
        #expect(!verdict.isPositive && verdict.reasons.isEmpty)
        _ = verdict.update(goodConditions(), at: at(1))
        #expect(verdict.isPositive && verdict.reasons.isEmpty)
        #expect(verdict.since == at(1))
    }

    @Test("Unplugged: tolerates 5 s, then names the reason; plugged in: waits 10 s for stable power")
    func plug() {
        var verdict = verdict()
        var conditions = goodConditions()
        _ = verdict.update(conditions, at: at(0))
        conditions.power.update(to: .battery, source: .upower, confidence: .reported, at: at(100))
        let next = verdict.update(conditions, at: at(100))
        #expect(verdict.isPositive)
        #expect(next == at(105).instant)
        _ = verdict.update(conditions, at: at(105))
        #expect(!verdict.isPositive)
        #expect(verdict.reasons.map(\.reason.code) == ["onBattery"])
        #expect(verdict.since == at(105))
        conditions.power.update(to: .ac, source: .upower, confidence: .reported, at: at(200))
        #expect(verdict.update(conditions, at: at(200)) == at(210).instant)
        #expect(!verdict.isPositive)
        #expect(verdict.reasons.map(\.reason.code) == ["settling"])
        _ = verdict.update(conditions, at: at(210))
        #expect(verdict.isPositive)
        #expect(verdict.since == at(210))
    }

    @Test("A short interruption of power changes nothing")
    func flicker() {
        var verdict = verdict()
        var conditions = goodConditions()
        _ = verdict.update(conditions, at: at(0))
        conditions.power.update(to: .battery, source: .upower, confidence: .reported, at: at(10))
        _ = verdict.update(conditions, at: at(10))
        conditions.power.update(to: .ac, source: .upower, confidence: .reported, at: at(12))
        _ = verdict.update(conditions, at: at(12))
        _ = verdict.update(conditions, at: at(30))
        #expect(verdict.isPositive && verdict.since == at(0))
    }

    @Test("Does not relax with time, unlike a transfer that waits")
    func age() {
        var verdict = verdict()
        var conditions = goodConditions()
        conditions.power.value = .battery
        for day in 0..<60 { _ = verdict.update(conditions, at: at(Double(day) * 86_400)) }
        #expect(!verdict.isPositive)
        #expect(verdict.since == start)
    }

    @Test("The user's hold, and an announced sleep, are reasons")
    func machine() {
        var verdict = verdict()
        var conditions = goodConditions()
        conditions.hold.update(
            to: MachineHold(by: "Ann", why: "call"), source: .user, confidence: .reported, at: at(0))
        conditions.sleep.value = .aboutToSleep
        _ = verdict.update(conditions, at: at(1))
        #expect(Set(verdict.reasons.map(\.reason.code)) == ["held", "aboutToSleep"])
    }
}
