// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// An answer that a thread blocks for. Apple's synchronous calls return only when their work is done.
package final class BlockingAnswer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Creates an answer that has not been given yet.
    package init() {}

    /// Gives the answer. Only the first call counts.
    package func give(_ answer: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = answer
            return true
        }
        if isFirst { semaphore.signal() }
    }

    /// Returns the answer, blocking for as long as it takes.
    package func wait() -> Value {
        while true {
            semaphore.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }

    /// Returns the answer, or `nil` if it is not given within the limit.
    func wait(atMost limit: Duration) -> Value? {
        let (seconds, attoseconds) = limit.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        guard semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { return nil }
        return value.withLock { $0 }
    }
}
