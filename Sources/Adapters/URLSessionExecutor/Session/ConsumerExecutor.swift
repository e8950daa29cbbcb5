// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation

/// The serial executor that runs everything that results from a request: callbacks, decisions, and writes, in order.
///
/// Attempts are actors on this executor, so the compiler checks that no other code uses their state. URLSession's
/// callbacks arrive on the executor's queue and enter an actor through `assumeIsolated`. That call costs a check but
/// no context switch.
final class ConsumerExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "transfer.session.consumer")
    /// A closure that is called after each piece of work.
    private let didRun: (@Sendable () -> Void)?

    /// - Parameter didRun: A closure that is called after each piece of work, for example to send its reports together.
    init(didRun: (@Sendable () -> Void)? = nil) { self.didRun = didRun }

    /// Runs `work` after all earlier work.
    func run(_ work: @escaping @Sendable () -> Void) {
        queue.async {
            work()
            self.finishWork()
        }
    }

    /// Runs `work` after a number of seconds.
    func run(afterSeconds seconds: Int, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .seconds(seconds)) {
            work()
            self.finishWork()
        }
    }

    /// Ends a piece of work that the queue runs without this executor.
    func finishWork() { didRun?() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
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
        consumer.run { self.assumeIsolated { work($0) } }
    }
}

/// The delegate queue of URLSession. Runs the callbacks in order on the consumer, and blocks URLSession while too
/// many callbacks are pending.
///
/// This back-pressure prevents a fast server from filling the memory. An `OperationQueue` itself never blocks.
final class BoundedDelegateQueue: OperationQueue, @unchecked Sendable {
    // Guard: both properties are constants and Sendable. The unchecked conformance repeats OperationQueue's own, which
    // a subclass must restate.
    private let admission: AdmissionControl
    private let consumer: ConsumerExecutor

    init(admission: AdmissionControl, consumer: ConsumerExecutor) {
        self.admission = admission
        self.consumer = consumer
        super.init()
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        admission.enter()
        consumer.run { [admission] in
            block()
            admission.leave()
        }
    }
}
