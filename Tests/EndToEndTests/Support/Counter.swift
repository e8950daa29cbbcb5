// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A counter for the handlers of servers.
final class Counter: Sendable {
    private let value = Mutex(0)
    /// The number of calls so far.
    var count: Int { value.withLock { $0 } }

    /// Counts, and returns the number.
    func next() -> Int {
        value.withLock {
            $0 += 1
            return $0
        }
    }
}
