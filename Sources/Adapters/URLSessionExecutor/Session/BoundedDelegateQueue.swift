// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation

/// The queue URLSession hands its callbacks to: they run in order on the consumer, and URLSession waits while too many
/// are pending.
///
/// That wait is what keeps a fast server from filling the memory (OperationQueue itself never waits).
final class BoundedDelegateQueue: OperationQueue, @unchecked Sendable {
    // Guard: both are constants and Sendable. OperationQueue's own promise, which is not checked, has to be repeated here.
    private let gate: Gate
    private let consumer: ConsumerExecutor

    init(gate: Gate, consumer: ConsumerExecutor) {
        self.gate = gate
        self.consumer = consumer
        super.init()
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        gate.enter()
        consumer.queue.async { [gate] in
            block()
            gate.leave()
        }
    }
}
