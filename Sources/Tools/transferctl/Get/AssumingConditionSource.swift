// SPDX-License-Identifier: Apache-2.0
import TransferEngine
import TransferModel
import TransferPolicy

/// A condition source whose facts are overridden by the user's assumptions.
struct AssumingConditionSource: ConditionSource {
    let base: any ConditionSource
    let assumptions: Assumptions

    func snapshots() -> AsyncStream<Conditions> {
        let (stream, continuation) = AsyncStream.makeStream(of: Conditions.self, bufferingPolicy: .bufferingNewest(1))
        let snapshots = base.snapshots()
        let task = Task {
            for await conditions in snapshots { continuation.yield(assumptions.applied(to: conditions)) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    func readyToSleep() { base.readyToSleep() }

    func stop() async { await base.stop() }
}
