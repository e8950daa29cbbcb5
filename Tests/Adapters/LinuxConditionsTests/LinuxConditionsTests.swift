// SPDX-License-Identifier: Apache-2.0
import LinuxConditions
import Testing
import TransferModel
import TransferPolicy
import TransferTesting

@Suite("LinuxConditions, independent of the machine", .timeLimit(.minutes(5)))
struct LinuxConditionsTests {
    private func make(_ readers: Set<LinuxConditionsConfiguration.Reader> = []) -> LinuxConditions {
        var configuration = LinuxConditionsConfiguration()
        configuration.readers = readers
        // Nothing of the machine: neither its bus nor its batteries.
        configuration.sysfsRoot = "/nonexistent"
        configuration.localTime = LocalTimeRules(initialOffsetSeconds: 3600)
        return LinuxConditions(configuration: configuration) {
            ClockReading(instant: Instant(nanoseconds: 7), wall: WallTime(secondsSinceEpoch: 8))
        }
    }

    @Test(
        "The source fulfills the contract of its port, without readers and with a reader that finds nothing",
        arguments: ConditionSourceContract.Check.allCases, [[], [LinuxConditionsConfiguration.Reader.sysfs]])
    func contract(
        _ check: ConditionSourceContract.Check, _ readers: Set<LinuxConditionsConfiguration.Reader>
    ) async throws {
        let now = ClockReading(instant: Instant(nanoseconds: 7), wall: WallTime(secondsSinceEpoch: 8))
        try await ConditionSourceContract { .init(make(readers), now: { now }) }.run(check)
    }

    @Test("The first snapshot arrives immediately if no source is queried")
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

    @Test("A new time zone is reported, and its watch ends with the source")
    func localTime() async {
        final class Watch: Sendable {
            let onEnd: @Sendable () -> Void
            init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
            deinit { onEnd() }
        }
        let (changes, change) = AsyncStream.makeStream(of: (@Sendable (LocalTimeRules) -> Void).self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var configuration = LinuxConditionsConfiguration()
        configuration.readers = []
        configuration.sysfsRoot = "/nonexistent"
        configuration.watchLocalTime = { onChange in
            change.yield(onChange)
            return Watch { end.finish() }
        }
        let conditions = LinuxConditions(configuration: configuration) {
            ClockReading(instant: Instant(nanoseconds: 7), wall: WallTime(secondsSinceEpoch: 8))
        }
        var snapshots = conditions.snapshots().makeAsyncIterator()
        #expect(await snapshots.next()?.localTime == .utc)
        var iterator = changes.makeAsyncIterator()
        let report = await iterator.next()
        report?(LocalTimeRules(initialOffsetSeconds: 3600))
        #expect(await snapshots.next()?.localTime == LocalTimeRules(initialOffsetSeconds: 3600))
        await conditions.stop()
        for await _ in ends {}
        report?(.utc)
        #expect(await snapshots.next() == nil)
    }

    @Test("A second consumer replaces the first and receives the newest snapshot")
    func second() async {
        let conditions = make()
        var first = conditions.snapshots().makeAsyncIterator()
        let snapshot = await first.next()
        var second = conditions.snapshots().makeAsyncIterator()
        #expect(await second.next() == snapshot)
        #expect(await first.next() == nil)
        await conditions.stop()
    }

    @Test("Stopping twice, before the start or concurrently, returns; later streams are empty")
    func stop() async {
        // Many times, because the second call could end the thread that the first call is about to use, which is rare.
        for _ in 0..<100 {
            let conditions = make()
            async let one: Void = conditions.stop()
            async let two: Void = conditions.stop()
            _ = await (one, two)
            await conditions.stop()
            var late = conditions.snapshots().makeAsyncIterator()
            #expect(await late.next() == nil)
        }
    }
}
