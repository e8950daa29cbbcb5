// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferModel

@testable import TransferSessions

@Suite struct SessionTimersTests {
    /// An actor whose timers are kept here as they ring.
    private actor Owner {
        private let timers: SessionTimers
        private(set) var rings: [String] = []

        init(sleep: @escaping @Sendable (Duration) async throws -> Void) { timers = SessionTimers(sleep: sleep) }

        func set(_ timer: SessionTimer, after duration: Duration, saying text: String) {
            timers.set(timer, after: duration) { self.rings.append(text) }
        }

        func cancel(_ timer: SessionTimer) { timers.cancel(timer) }

        /// Waits until so many have rung.
        func wait(for count: Int) async throws {
            for _ in 0..<10_000 where rings.count < count { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    /// Sleeps that do not heed a cancellation, and end in their order.
    private final class UncancellableSleeper: Sendable {
        private let sleeping = Mutex<[CheckedContinuation<Void, Never>]>([])

        var count: Int { sleeping.withLock(\.count) }

        func sleep(_: Duration) async {
            await withCheckedContinuation { next in sleeping.withLock { $0.append(next) } }
        }

        func wakeAll() {
            for continuation in sleeping.withLock({ $0 }) { continuation.resume() }
        }
    }

    private let first = SessionTimer.pause("a")
    private let second = SessionTimer.handlingTimeLimit("a")

    private func wait(until condition: () -> Bool) async throws {
        for _ in 0..<10_000 where !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("a timer fires once, after its own time")
    func rings() async throws {
        let sleeper = Sleeper()
        let owner = Owner(sleep: { try await sleeper.sleep($0) })
        await owner.set(first, after: .seconds(1), saying: "first")
        await owner.set(second, after: .seconds(2), saying: "second")
        try await wait { sleeper.durations.count == 2 }
        #expect(await owner.rings.isEmpty)
        sleeper.wake(.seconds(2))
        try await owner.wait(for: 1)
        sleeper.wake(.seconds(1))
        try await owner.wait(for: 2)
        #expect(await owner.rings == ["second", "first"])
        #expect(sleeper.durations.isEmpty)
    }

    @Test("setting a timer again replaces the earlier timer")
    func setAgain() async throws {
        let sleeper = Sleeper()
        let owner = Owner(sleep: { try await sleeper.sleep($0) })
        await owner.set(first, after: .seconds(1), saying: "earlier")
        try await wait { sleeper.durations == [.seconds(1)] }
        await owner.set(first, after: .seconds(2), saying: "later")
        try await wait { sleeper.durations == [.seconds(2)] }
        #expect(sleeper.durations == [.seconds(2)])
        sleeper.wake(.seconds(2))
        try await owner.wait(for: 1)
        #expect(await owner.rings == ["later"])
    }

    @Test("a timer that is canceled or set again just as it expires does not fire")
    func late() async throws {
        let sleeper = UncancellableSleeper()
        let owner = Owner(sleep: { await sleeper.sleep($0) })
        await owner.set(first, after: .seconds(1), saying: "replaced")
        await owner.set(first, after: .seconds(1), saying: "cancelled")
        await owner.cancel(first)
        await owner.set(first, after: .seconds(1), saying: "wanted")
        try await wait { sleeper.count == 3 }
        sleeper.wakeAll()
        try await owner.wait(for: 1)
        for _ in 0..<100 { await Task.yield() }
        #expect(await owner.rings == ["wanted"])
    }
}
