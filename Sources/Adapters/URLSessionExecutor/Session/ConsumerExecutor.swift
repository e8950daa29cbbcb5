// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// The serial executor that runs everything that results from a request: callbacks, decisions, and writes, in order.
///
/// Attempts are actors on this executor, so the compiler checks that no other code uses their state. URLSession's
/// callbacks arrive on the executor's queue and enter an actor through `assumeIsolated`. That call costs a check but
/// no context switch.
final class ConsumerExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "transfer.session.consumer")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// An actor that runs on a consumer executor.
protocol ConsumerActor: Actor {
    nonisolated var consumer: ConsumerExecutor { get }
}

extension ConsumerActor {
    /// Runs `work` after all previously dispatched work.
    nonisolated func dispatch(_ work: @escaping @Sendable (isolated Self) -> Void) {
        consumer.queue.async { self.assumeIsolated { work($0) } }
    }
}
