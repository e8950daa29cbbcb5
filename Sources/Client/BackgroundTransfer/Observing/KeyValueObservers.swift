// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The key-value observations of this process, which Foundation does not support on Linux.
///
/// After each change of a task, every observed property is compared with its last value. This also covers a `Progress`
/// that is an ancestor of a task's progress.
final class KeyValueObservers: Sendable {
    static let shared = KeyValueObservers()

    private struct Content {
        var last = 0
        var properties: [Int: any Comparing] = [:]
    }

    private let content = Mutex(Content())

    /// Adds an observation and returns its number.
    func add(_ property: any Comparing) -> Int {
        content.withLock { content in
            content.last += 1
            content.properties[content.last] = property
            return content.last
        }
    }

    /// Removes an observation. Does nothing for an unknown number.
    func remove(_ number: Int) { content.withLock { $0.properties[number] = nil } }

    /// Calls the change handlers of the properties that have changed, in the order of the observations.
    func evaluate() {
        for (_, property) in content.withLock(\.properties).sorted(by: { $0.key < $1.key }) { property.compare() }
    }
}

/// An observed property.
protocol Comparing: AnyObject, Sendable {
    /// Calls the change handler if the property has changed since the last comparison.
    func compare()
}
