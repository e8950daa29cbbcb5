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
        if options.contains(.initial) { property.reportInitialValue() }
        return NSKeyValueObservation(KeyValueObservers.shared.add(property))
    }
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
        if let object { report(object, old: nil, new: last) }
    }

    func compare() {
        guard let object else { return }
        let (old, new) = lock.withLock { () -> (Value, Value) in
            let (old, new) = (last, object[keyPath: keyPath])
            last = new
            return (old, new)
        }
        if let old = old as? AnyHashable, let new = new as? AnyHashable, old == new { return }
        report(object, old: old, new: new)
    }

    private func report(_ object: Object, old: Value?, new: Value) {
        handler(
            object,
            NSKeyValueObservedChange(
                newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil))
    }
}
