// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// An answer that a thread waits for which has nothing else to do: Apple's calls return when they are done.
package final class BlockingAnswer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    /// No answer yet.
    package init() {}

    /// Gives the answer; only the first counts.
    package func give(_ answer: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = answer
            return true
        }
        if isFirst { semaphore.signal() }
    }

    /// The answer, however long it takes.
    package func wait() -> Value {
        while true {
            semaphore.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }

    /// The answer; nil where there is none in time.
    func wait(atMost limit: Duration) -> Value? {
        let (seconds, attoseconds) = limit.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        guard semaphore.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { return nil }
        return value.withLock { $0 }
    }
}
