// SPDX-License-Identifier: Apache-2.0

/// Decides from when on a changed reading counts: a loss or a higher cost at once, anything else after it has held.
///
/// Facts are debounced in two steps, and both are Core's. This type filters the *readings* of one source within
/// milliseconds, before they become a fact: the kernel and UPower tell one unplug one after the other, and a link comes
/// up in several messages. What is left are *facts*: ``Hysteresis`` decides how many seconds a changed fact must hold
/// before a start relies on it, and how long a running transfer bears its loss.
///
/// The owner keeps the timer. The adapters that read only coalesce what arrives together.
/// ```swift
/// var price = Debounce<Metered?>(.yes)
/// price.offer(.no, isUrgent: false)  // .wait: the owner starts its timer
/// price.elapse()                     // true: price.value is .no
/// ```
package struct Debounce<Value: Equatable & Sendable>: Sendable {
    /// The owner's duty after a reading was offered.
    package enum Order: Equatable, Sendable {
        /// Nothing changes: the value already counts, or its timer runs.
        case nothing
        /// The value counts from now on; a running timer is to be stopped.
        case take
        /// The value counts when a timer, started anew, rings: `elapse()` is to be called then.
        case wait
        /// The pending value is dropped; a running timer is to be stopped.
        case forget
    }

    /// The value that counts.
    package private(set) var value: Value
    private var candidate: Value?

    /// Whether another value is waiting for its time.
    package var isPending: Bool { candidate != nil }

    /// Begins with a value that counts.
    package init(_ value: Value) { self.value = value }

    /// Offers a new reading.
    package mutating func offer(_ reading: Value, isUrgent: Bool) -> Order {
        if reading == value {
            defer { candidate = nil }
            return candidate == nil ? .nothing : .forget
        }
        if isUrgent {
            value = reading
            candidate = nil
            return .take
        }
        if candidate == reading { return .nothing }
        candidate = reading
        return .wait
    }

    /// Notes that the timer rang; returns whether the value that counts has changed.
    package mutating func elapse() -> Bool {
        guard let candidate else { return false }
        value = candidate
        self.candidate = nil
        return true
    }
}
