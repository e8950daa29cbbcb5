// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel

/// The conditions for a command: those of another source, with the hold that a daemon reports.
///
/// A machine that is about to sleep suspends commands by itself, so the announcement of sleep is left out. An
/// announced shutdown is reported to a handler before the conditions contain it.
final class CommandConditions: ConditionSource {
    fileprivate struct State {
        var hold: Fact<MachineHold?>?
        var latest: Conditions?
        var continuation: AsyncStream<Conditions>.Continuation?
    }

    private let base: any ConditionSource
    private let now: @Sendable () -> ClockReading
    private let onShutDown: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - base: The source of the machine's conditions.
    ///   - now: Returns the current time.
    ///   - onShutDown: Called when the machine is about to shut down.
    init(
        base: any ConditionSource, now: @escaping @Sendable () -> ClockReading,
        onShutDown: @escaping @Sendable () -> Void
    ) {
        (self.base, self.now, self.onShutDown) = (base, now, onShutDown)
    }

    /// Sets the user's hold, or removes it if `hold` is `nil`.
    ///
    /// - Parameters:
    ///   - hold: The hold.
    ///   - since: The date on which the hold began, or `nil` for now.
    func set(_ hold: MachineHold?, since: WallTime? = nil) {
        let now = now()
        let reading = since.map { ClockReading(instant: now.instant(of: $0), wall: $0) } ?? now
        state.withLock { state in
            state.hold = hold.map { Fact($0, source: .user, since: reading) }
            if let latest = state.latest { state.continuation?.yield(state.adjusted(latest)) }
        }
    }

    func snapshots() -> AsyncStream<Conditions> {
        let (stream, continuation) = AsyncStream.makeStream(of: Conditions.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.continuation = continuation }
        let snapshots = base.snapshots()
        let task = Task {
            for await conditions in snapshots {
                if conditions.sleep.value == .aboutToShutDown { onShutDown() }
                state.withLock { state in
                    state.latest = conditions
                    continuation.yield(state.adjusted(conditions))
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    func readyToSleep() { base.readyToSleep() }

    func stop() async { await base.stop() }
}

extension CommandConditions.State {
    fileprivate func adjusted(_ conditions: Conditions) -> Conditions {
        var conditions = conditions
        if let hold { conditions.hold = hold }
        if conditions.sleep.value == .aboutToSleep { conditions.sleep.value = .awake }
        return conditions
    }
}
