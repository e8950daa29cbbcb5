// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// The serial executor that runs everything that results from a request: callbacks, decisions, and writes, in order.
///
/// Attempts are actors on this executor, so the compiler checks that no other code uses their state. A transport's
/// callbacks arrive on the executor's queue and enter an actor through `assumeIsolated`. That call costs a check but
/// no context switch.
package final class ConsumerExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "transfer.session.consumer")
    /// A closure that is called after each piece of work.
    private let didRun: (@Sendable () -> Void)?

    /// - Parameter didRun: A closure that is called after each piece of work, for example to send its reports together.
    package init(didRun: (@Sendable () -> Void)? = nil) { self.didRun = didRun }

    /// Runs `work` after all earlier work.
    package func run(_ work: @escaping @Sendable () -> Void) {
        queue.async {
            work()
            self.finishWork()
        }
    }

    /// Runs `work` after a number of seconds.
    package func run(afterSeconds seconds: Int, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .seconds(seconds)) {
            work()
            self.finishWork()
        }
    }

    /// Ends a piece of work that the queue runs without this executor.
    func finishWork() { didRun?() }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// An actor that runs on a consumer executor.
package protocol ConsumerActor: Actor {
    nonisolated var consumer: ConsumerExecutor { get }
}

extension ConsumerActor {
    /// Runs `work` after all previously dispatched work.
    package nonisolated func dispatch(_ work: @escaping @Sendable (isolated Self) -> Void) {
        consumer.run { self.assumeIsolated { work($0) } }
    }
}
