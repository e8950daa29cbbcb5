// SPDX-License-Identifier: Apache-2.0

/// A filter that delays a changed reading until the reading is stable.
///
/// A loss or a higher cost counts immediately. Every other change counts only if it lasts.
///
/// Facts are debounced in two steps, both in Core. This type filters the *readings* of one source, within milliseconds,
/// before a reading becomes a fact. The kernel and UPower report one unplug at different times, and a link comes up in
/// several messages. The second step filters *facts*. ``Hysteresis`` decides how many seconds a changed fact must be
/// stable before a start relies on it. ``Hysteresis`` also decides how long a running transfer tolerates the loss of a
/// fact.
///
/// The owner keeps the timer. The adapters that read the sources only coalesce messages that arrive together.
///
/// ```swift
/// var price = Debounce<Metered?>(.yes)
/// price.offer(.no, isUrgent: false)  // .wait: the owner starts its timer
/// price.elapse()                     // true: price.value is .no
/// ```
package struct Debounce<Value: Equatable & Sendable>: Sendable {
    /// The action that the owner must take after offering a reading.
    package enum Action: Equatable, Sendable {
        /// No action: the value already counts, or the timer for the value is running.
        case nothing
        /// The owner stops a running timer. The new value counts immediately.
        case accept
        /// The owner restarts the timer and calls `elapse()` when the timer fires.
        case wait
        /// The owner stops the running timer. The pending value is dropped.
        case cancel
    }

    /// The value that counts.
    package private(set) var value: Value
    private var candidate: Value?

    /// A Boolean value that indicates whether a changed reading is waiting to count.
    package var isPending: Bool { candidate != nil }

    /// Creates a filter with an initial value that counts immediately.
    package init(_ value: Value) { self.value = value }

    /// Offers a new reading, and returns the action that the owner must take.
    ///
    /// - Parameter isUrgent: A Boolean value that indicates whether the reading counts immediately if it differs from
    ///   the current value.
    package mutating func offer(_ reading: Value, isUrgent: Bool) -> Action {
        if reading == value {
            defer { candidate = nil }
            return candidate == nil ? .nothing : .cancel
        }
        if isUrgent {
            value = reading
            candidate = nil
            return .accept
        }
        if candidate == reading { return .nothing }
        candidate = reading
        return .wait
    }

    /// Accepts the pending reading after the timer fires. Returns whether ``value`` changed.
    package mutating func elapse() -> Bool {
        guard let candidate else { return false }
        value = candidate
        self.candidate = nil
        return true
    }
}
