// SPDX-License-Identifier: Apache-2.0
import LinuxConditions
import Testing
import TransferPolicy
import TransferTesting

@Suite("The life of LinuxConditions, all readers off", .timeLimit(.minutes(1)))
struct LinuxConditionsTests {
    private func make() -> LinuxConditions {
        var configuration = LinuxConditionsConfiguration()
        configuration.readers = []
        configuration.localTime = LocalTimeRules(initialOffsetSeconds: 3600)
        return LinuxConditions(configuration: configuration) {
            Moment(instant: Instant(nanoseconds: 7), wall: WallTime(secondsSinceEpoch: 8))
        }
    }

    @Test("Keeps the contract of its port", arguments: ConditionSourceContract.Check.allCases)
    func contract(_ check: ConditionSourceContract.Check) async throws {
        let now = Moment(instant: Instant(nanoseconds: 7), wall: WallTime(secondsSinceEpoch: 8))
        try await ConditionSourceContract { .init(make(), now: { now }) }.run(check)
    }

    @Test("The first snapshot comes without waiting when nobody is asked")
    func first() async {
        let conditions = make()
        var snapshots = conditions.snapshots().makeAsyncIterator()
        let first = await snapshots.next()
        #expect(first?.power.value == .ac)
        #expect(first?.power.source == .rule)
        #expect(first?.network.value == .unknown)
        #expect(first?.localTime.initialOffsetSeconds == 3600)
        #expect(first?.power.since.instant == Instant(nanoseconds: 7))
        await conditions.stop()
        #expect(await snapshots.next() == nil)
    }

    @Test("A second consumer takes over and gets the newest snapshot")
    func second() async {
        let conditions = make()
        var first = conditions.snapshots().makeAsyncIterator()
        let snapshot = await first.next()
        var second = conditions.snapshots().makeAsyncIterator()
        #expect(await second.next() == snapshot)
        #expect(await first.next() == nil)
        await conditions.stop()
    }

    @Test("Stopping twice, before the start or at the same time, ends; later streams are empty")
    func stop() async {
        let conditions = make()
        async let one: Void = conditions.stop()
        async let two: Void = conditions.stop()
        _ = await (one, two)
        await conditions.stop()
        var late = conditions.snapshots().makeAsyncIterator()
        #expect(await late.next() == nil)
    }
}
