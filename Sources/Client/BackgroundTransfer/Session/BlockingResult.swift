// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization
internal import TransferModel

/// A result that a thread blocks for. Apple's synchronous calls return only when their work is done.
package final class BlockingResult<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Creates a result that is not available yet.
    package init() {}

    /// Provides the result. Only the first call counts.
    package func fulfill(_ result: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = result
            return true
        }
        if isFirst { semaphore.signal() }
    }

    /// Returns the result, blocking for as long as it takes.
    package func wait() -> Value {
        while true {
            semaphore.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }

    /// Returns the result, or `nil` if the result is not provided within the limit.
    func wait(atMost limit: Duration) -> Value? {
        let end = DispatchTime.now() + .nanoseconds(Int(limit.wholeNanoseconds))
        guard semaphore.wait(timeout: end) == .success else { return nil }
        return value.withLock { $0 }
    }
}
