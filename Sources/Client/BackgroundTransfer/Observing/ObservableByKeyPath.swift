// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import FoundationNetworking
internal import Synchronization

/// A class with observable properties that change with the events of background tasks.
///
/// `Progress` and `URLSessionTask` are the only conforming classes.
public protocol ObservableByKeyPath: AnyObject {}

extension Progress: ObservableByKeyPath {}
extension URLSessionTask: ObservableByKeyPath {}

extension ObservableByKeyPath {
    /// Calls a closure when a property changes because of a task of a background session.
    ///
    /// Changes that the program makes itself, for example to `completedUnitCount`, are reported with the next change of
    /// a task.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: The values to pass to the closure. With `initial`, the closure is also called immediately.
    ///   - changeHandler: The closure. It is called on the thread that changes the task.
    /// - Returns: The observation, which ends when it is released.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let property = ObservedProperty(self, keyPath, options, changeHandler)
        let observation = NSKeyValueObservation(KeyValueObservers.shared.add(property))
        if options.contains(.initial) { property.reportInitialValue() }
        // The property may have changed before it was added.
        property.compare()
        return observation
    }
}

/// An optional value of any type.
private protocol Wrapping {
    /// The wrapped value, or `nil` if there is none.
    var wrapped: Any? { get }
}

extension Optional: Wrapping {
    fileprivate var wrapped: Any? { self }
}

/// An observed property with its last value.
///
/// `lock` guards `last`. The program must be able to read the property on the thread that changes the task, as with
/// Apple's API.
private final class ObservedProperty<Object: AnyObject, Value>: Comparing, @unchecked Sendable {
    private weak var object: Object?
    private let keyPath: KeyPath<Object, Value>
    private let options: NSKeyValueObservingOptions
    private let handler: (Object, NSKeyValueObservedChange<Value>) -> Void
    private let lock = NSLock()
    private var last: Value

    init(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
    ) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
        self.handler = handler
        last = object[keyPath: keyPath]
    }

    func reportInitialValue() {
        let value = lock.withLock { last }
        if let object { report(object, old: nil, new: value) }
    }

    func compare() {
        guard let object else { return }
        let (old, new) = lock.withLock { () -> (Value, Value) in
            let (old, new) = (last, object[keyPath: keyPath])
            last = new
            return (old, new)
        }
        if !Self.areEqual(old, new) { report(object, old: old, new: new) }
    }

    /// Returns whether two values are equal. Values without a comparison are not. Errors are equal if their domains
    /// and codes are, because a task makes a new error for each access.
    private static func areEqual(_ old: Value, _ new: Value) -> Bool {
        let (old, new) = ((old as? any Wrapping)?.wrapped ?? old, (new as? any Wrapping)?.wrapped ?? new)
        if let old = old as? any Wrapping, let new = new as? any Wrapping {
            return old.wrapped == nil && new.wrapped == nil
        }
        if let old = old as? any Error, let new = new as? any Error {
            let (old, new) = (old as NSError, new as NSError)
            return old.domain == new.domain && old.code == new.code
        }
        if let old = old as? AnyHashable, let new = new as? AnyHashable { return old == new }
        return false
    }

    private func report(_ object: Object, old: Value?, new: Value) {
        handler(
            object,
            NSKeyValueObservedChange(
                newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil))
    }
}

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
