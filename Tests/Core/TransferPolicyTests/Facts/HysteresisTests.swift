// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferPolicy

@Suite("Hysteresis")
struct HysteresisTests {
    private let hysteresis = Hysteresis(
        start: { .seconds([10, 5, 6, 7, 8][$0.rawValue]) },
        stop: { .seconds([4, 0, 1, 2, 3][$0.rawValue]) })

    private func moment(_ second: Int64) -> Moment {
        Moment(
            instant: Instant(nanoseconds: second * 1_000_000_000),
            wall: WallTime(secondsSinceEpoch: second))
    }

    private func instant(_ second: Int64) -> Instant { moment(second).instant }

    private func change<Value>(_ value: Value, at second: Int64) -> Fact<Value> {
        Fact(value, source: .networkManager, since: moment(second), isObservedChange: true)
    }

    private var conditions: Conditions {
        var conditions = Conditions(unknownSince: moment(0))
        conditions.power = change(.ac, at: 100)
        conditions.linkKind = change(.wifi, at: 102)
        conditions.metered = change(.no, at: 100)
        conditions.roaming = change(.no, at: 101)
        return conditions
    }

    @Test(
        "What was found at the start counts at once; a change counts after its time, of several facts after the last"
    )
    func starts() {
        let settled = hysteresis.starts(under: Conditions(unknownSince: moment(0)))
        #expect(settled.indices.allSatisfy { settled[$0] == Instant(nanoseconds: .min) })
        let starts = hysteresis.starts(under: conditions)
        #expect(starts[0] == Instant(nanoseconds: .min))
        #expect(starts[1] == instant(110))
        #expect(starts[2] == instant(108))
        #expect(starts[4] == instant(109))
        #expect(
            (3...7).filter { $0 != 4 }.map { starts[$0] } == [110, 110, 109, 110].map { instant($0) })
    }

    @Test(
        "The reasons to wait are power and the network's fact that settles last; the first end is when to ask again"
    )
    func holds() {
        let all: RelevantFacts = [.power, .network, .connection]
        let (holds, until) = hysteresis.holds(relyingOn: all, under: conditions, at: instant(103))
        #expect(
            holds.map(\.reason) == [
                .settling(.power, until: instant(110)), .settling(.network, until: instant(109)),
            ])
        #expect(holds.map(\.since) == [moment(100), moment(101)])
        #expect(until == instant(109))
        let late = hysteresis.holds(relyingOn: all, under: conditions, at: instant(109))
        #expect(late.holds.map(\.reason) == [.settling(.power, until: instant(110))])
        #expect(hysteresis.holds(relyingOn: all, under: conditions, at: instant(110)).holds.isEmpty)
        #expect(hysteresis.holds(relyingOn: [], under: conditions, at: instant(103)).holds.isEmpty)
    }

    @Test(
        "A loss is borne from when the transfer first missed the fact, however often the fact changes meanwhile"
    )
    func missing() {
        let onBattery = [Hold(.onBattery(level: 50), since: moment(100))]
        let first = hysteresis.missing(for: onBattery, before: [:])
        #expect(first == [.power: instant(100)])
        let second = hysteresis.missing(for: [Hold(.powerUnknown, since: moment(103))], before: first)
        #expect(second == first)
        #expect(hysteresis.stop(for: onBattery, missingSince: second) == instant(104))
        #expect(hysteresis.missing(for: [], before: second).isEmpty)
    }

    @Test(
        "Of several losses the first that is no longer borne stops a transfer, and any other reason does at once"
    )
    func stop() {
        let lost = [
            Hold(.onBattery(level: 50), since: moment(100)), Hold(.metered(isGuess: false), since: moment(101)),
        ]
        let missing = hysteresis.missing(for: lost, before: [:])
        #expect(hysteresis.stop(for: lost, missingSince: missing) == instant(103))
        let asked = lost + [Hold(.suspended, since: moment(100))]
        #expect(hysteresis.stop(for: asked, missingSince: missing) == nil)
        #expect(hysteresis.stop(for: [], missingSince: [:]) == nil)
    }
}
