// SPDX-License-Identifier: Apache-2.0
import Synchronization
package import TransferEngine
package import TransferModel

/// The conditions of another source, adjusted by a function that may be replaced at any time.
///
/// ```swift
/// let conditions = AdjustedConditions(source) { $0.sleep.value = .awake }
/// ```
package final class AdjustedConditions: ConditionSource {
    /// A change of the conditions. Called with a lock held.
    package typealias Adjustment = @Sendable (inout Conditions) -> Void

    private struct State {
        var adjust: Adjustment
        var latest: Conditions?
        var continuation: AsyncStream<Conditions>.Continuation?

        func report() {
            guard var conditions = latest else { return }
            adjust(&conditions)
            continuation?.yield(conditions)
        }
    }

    private let base: any ConditionSource
    private let state: Mutex<State>

    /// Creates a source that adjusts the conditions of `base`.
    package init(_ base: any ConditionSource, _ adjust: @escaping Adjustment) {
        self.base = base
        state = Mutex(State(adjust: adjust))
    }

    /// Replaces the function, and reports the conditions again.
    package func adjust(_ adjust: @escaping Adjustment) {
        state.withLock { state in
            state.adjust = adjust
            state.report()
        }
    }

    package func snapshots() -> AsyncStream<Conditions> {
        let (stream, continuation) = AsyncStream.makeStream(of: Conditions.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.continuation = continuation }
        let snapshots = base.snapshots()
        let task = Task {
            for await conditions in snapshots {
                state.withLock { state in
                    state.latest = conditions
                    state.report()
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    package func readyToSleep() { base.readyToSleep() }

    package func stop() async { await base.stop() }
}
