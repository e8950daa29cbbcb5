// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization

/// An observation of a property. The observation ends when the object is invalidated or released.
///
/// ```swift
/// let observation = task.progress.observe(\.fractionCompleted) { progress, _ in
///     print(progress.fractionCompleted)
/// }
/// ```
public final class NSKeyValueObservation: Sendable {
    private let number: Int

    init(_ number: Int) { self.number = number }

    deinit { invalidate() }

    /// Ends the observation. The change handler is no longer called.
    public func invalidate() { KeyValueObservers.shared.remove(number) }
}

/// The values to pass to a change handler, and the times at which to call the handler.
///
/// ```swift
/// let observation = task.progress.observe(\.fractionCompleted, options: [.initial, .new]) { _, change in
///     print(change.newValue ?? 0)
/// }
/// ```
public struct NSKeyValueObservingOptions: OptionSet, Hashable, Sendable {
    /// The bits of the options, with Apple's values.
    public let rawValue: UInt
    /// Creates options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The change contains the new value.
    public static let new = Self(rawValue: 1)
    /// The change contains the former value.
    public static let old = Self(rawValue: 2)
    /// The handler is also called immediately, with the current value.
    public static let initial = Self(rawValue: 4)
}

/// A change of an observed property.
public struct NSKeyValueObservedChange<Value> {
    /// The new value, if the options contain `new`.
    public let newValue: Value?
    /// The former value, if the options contain `old`.
    public let oldValue: Value?
}
