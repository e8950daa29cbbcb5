// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferPolicy

@Suite("Hysteresis")
struct HysteresisTests {
    private let hysteresis = Hysteresis(
        start: { .seconds([10, 5, 6, 7, 8][$0.rawValue]) },
        stop: { .seconds([4, 0, 1, 2, 3][$0.rawValue]) })

    private func reading(_ second: Int64) -> ClockReading {
        ClockReading(
            instant: Instant(nanoseconds: second * 1_000_000_000),
            wall: WallTime(secondsSinceEpoch: second))
    }

    private func instant(_ second: Int64) -> Instant { reading(second).instant }

    private func change<Value>(_ value: Value, at second: Int64) -> Fact<Value> {
        Fact(value, source: .networkManager, since: reading(second), isObservedChange: true)
    }

    private var conditions: Conditions {
        var conditions = Conditions(unknownSince: reading(0))
        conditions.power = change(.ac, at: 100)
        conditions.linkKind = change(.wifi, at: 102)
        conditions.metered = change(.no, at: 100)
        conditions.roaming = change(.no, at: 101)
        return conditions
    }

    @Test(
        "Initial facts count immediately; changed facts count after the longest debounce"
    )
    func starts() {
        let initial = hysteresis.starts(under: Conditions(unknownSince: reading(0)))
        #expect(initial.indices.allSatisfy { initial[$0] == Instant(nanoseconds: .min) })
        let starts = hysteresis.starts(under: conditions)
        #expect(starts[0] == Instant(nanoseconds: .min))
        #expect(starts[1] == instant(110))
        #expect(starts[2] == instant(108))
        #expect(starts[4] == instant(109))
        #expect(
            (3...7).filter { $0 != 4 }.map { starts[$0] } == [110, 110, 109, 110].map { instant($0) })
    }

    @Test(
        "The wait reasons are power and the slowest network fact; the first end is the re-evaluation"
    )
    func reasons() {
        let all: RelevantFacts = [.power, .network, .connection]
        let (reasons, until) = hysteresis.reasons(relyingOn: all, under: conditions, at: instant(103))
        #expect(
            reasons.map(\.reason) == [
                .debouncing(.power, until: instant(110)), .debouncing(.network, until: instant(109)),
            ])
        #expect(reasons.map(\.since) == [reading(100), reading(101)])
        #expect(until == instant(109))
        let late = hysteresis.reasons(relyingOn: all, under: conditions, at: instant(109))
        #expect(late.reasons.map(\.reason) == [.debouncing(.power, until: instant(110))])
        #expect(hysteresis.reasons(relyingOn: all, under: conditions, at: instant(110)).reasons.isEmpty)
        #expect(hysteresis.reasons(relyingOn: [], under: conditions, at: instant(103)).reasons.isEmpty)
    }

    @Test(
        "The hysteresis of a loss starts when the transfer first lacks the fact"
    )
    func missing() {
        let onBattery = [WaitReason(.onBattery(level: 50), since: reading(100))]
        let first = hysteresis.missing(for: onBattery, before: [:])
        #expect(first == [.power: instant(100)])
        let second = hysteresis.missing(for: [WaitReason(.powerUnknown, since: reading(103))], before: first)
        #expect(second == first)
        #expect(hysteresis.stop(for: onBattery, missingSince: second) == instant(104))
        #expect(hysteresis.missing(for: [], before: second).isEmpty)
    }

    @Test(
        "The first expired hysteresis stops a transfer; any other reason stops it immediately"
    )
    func stop() {
        let lost = [
            WaitReason(.onBattery(level: 50), since: reading(100)),
            WaitReason(.metered(isGuess: false), since: reading(101)),
        ]
        let missing = hysteresis.missing(for: lost, before: [:])
        #expect(hysteresis.stop(for: lost, missingSince: missing) == instant(103))
        let asked = lost + [WaitReason(.suspended, since: reading(100))]
        #expect(hysteresis.stop(for: asked, missingSince: missing) == nil)
        #expect(hysteresis.stop(for: [], missingSince: [:]) == nil)
    }
}
