// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import Synchronization

/// The state of the program, its delegate, and its background tasks, under UIKit's names.
extension BackgroundApplication {
    /// The states of a program.
    public enum State: Int, Hashable, Sendable {
        /// The user is working with the program.
        case active
        /// The program is in the foreground and receives no input. Not used on Linux.
        case inactive
        /// The user is not working with the program.
        case background
    }

    /// The state of the program: `active` while ``isInFront`` is true, and `background` otherwise.
    public var applicationState: State { isInFront ? .active : .background }

    /// The program's delegate. ``BackgroundApplicationDelegate/main()`` sets the property to the delegate that it
    /// creates. The application retains the delegate.
    public var delegate: (any BackgroundApplicationDelegate)? {
        get { content.withLock { $0.delegate.value } }
        set {
            let holder = DelegateReference(newValue)
            content.withLock { $0.delegate = holder }
        }
    }

    // MARK: Background tasks

    /// Keeps a program that was started for its sessions running until ``endBackgroundTask(_:)`` is called.
    ///
    /// Nothing suspends a program on Linux. Background tasks have no effect on a program that was not started for its
    /// sessions.
    ///
    /// - Parameters:
    ///   - name: A name for debugging. Ignored.
    ///   - handler: A closure to call if the program ends before the task does, 30 seconds after the last event.
    /// - Returns: The identifier of the task.
    public func beginBackgroundTask(
        withName name: String? = nil, expirationHandler handler: (@Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        var number = 0
        deliver { number = $0.beginBackgroundTask(handler ?? {}) }
        return UIBackgroundTaskIdentifier(rawValue: number)
    }

    /// Ends a background task. Does nothing for an unknown identifier.
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        deliver { $0.endBackgroundTask(identifier.rawValue) }
    }

    /// The number of seconds that the program may still run in the background. There is no limit on Linux.
    public var backgroundTimeRemaining: TimeInterval { .greatestFiniteMagnitude }

    // MARK: Notifications

    /// A notification that the program has started.
    public static let didFinishLaunchingNotification = Notification.Name("UIApplicationDidFinishLaunchingNotification")
    /// A notification that the user has begun to work with the program.
    public static let didBecomeActiveNotification = Notification.Name("UIApplicationDidBecomeActiveNotification")
    /// A notification that the user is about to work with the program.
    public static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification")
    /// A notification that the user is about to leave the program.
    public static let willResignActiveNotification = Notification.Name("UIApplicationWillResignActiveNotification")
    /// A notification that the user has left the program.
    public static let didEnterBackgroundNotification = Notification.Name("UIApplicationDidEnterBackgroundNotification")
    /// A notification that the program has handled the events that it was started for and is about to exit.
    public static let willTerminateNotification = Notification.Name("UIApplicationWillTerminateNotification")

    /// Reports a change of ``isInFront`` by notifications and delegate methods, on the main queue.
    func reportFront(_ isInFront: Bool) {
        DispatchQueue.main.async { [self] in
            let names =
                isInFront
                ? [Self.willEnterForegroundNotification, Self.didBecomeActiveNotification]
                : [Self.willResignActiveNotification, Self.didEnterBackgroundNotification]
            for name in names { report(name) }
        }
    }

    /// Posts a notification and calls the delegate's method for it. Called on the main queue.
    func report(_ name: Notification.Name) {
        switch name {
        case Self.willEnterForegroundNotification: delegate?.applicationWillEnterForeground(self)
        case Self.didBecomeActiveNotification: delegate?.applicationDidBecomeActive(self)
        case Self.willResignActiveNotification: delegate?.applicationWillResignActive(self)
        case Self.didEnterBackgroundNotification: delegate?.applicationDidEnterBackground(self)
        case Self.willTerminateNotification: delegate?.applicationWillTerminate(self)
        default: break
        }
        NotificationCenter.default.post(name: name, object: self)
    }
}

/// The identifier of a task that keeps the program running.
///
/// ```swift
/// let task = UIApplication.shared.beginBackgroundTask()
/// defer { UIApplication.shared.endBackgroundTask(task) }
/// ```
public struct UIBackgroundTaskIdentifier: Hashable, Sendable, RawRepresentable {
    /// The number of the task. 0 is no task.
    public let rawValue: Int
    /// Creates an identifier from a number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The identifier of no task.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// A reference to the program's delegate. The delegate is called on the main queue and need not be `Sendable`.
struct DelegateReference: @unchecked Sendable {
    let value: (any BackgroundApplicationDelegate)?

    init(_ value: (any BackgroundApplicationDelegate)?) { self.value = value }
}
