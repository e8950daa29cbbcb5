// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPExecutor

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
