// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// The serial executor on which everything happens that comes of requests: callbacks, decisions and writes, in order.
///
/// Attempts are actors on it, so the compiler checks that nobody else uses their state. URLSession's callbacks come on its
/// queue and enter an actor by `assumeIsolated`: that costs a check, and no hop.
final class ConsumerExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "transfer.session.consumer")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// An actor on a consumer's executor.
protocol ConsumerActor: Actor {
    nonisolated var consumer: ConsumerExecutor { get }
}

extension ConsumerActor {
    /// Does `work` after all that was dispatched before.
    nonisolated func dispatch(_ work: @escaping @Sendable (isolated Self) -> Void) {
        consumer.queue.async { self.assumeIsolated { work($0) } }
    }
}
