// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// A program's delegate in Apple's form. Mark a conforming class with `@main` to run the program.
public protocol BackgroundApplicationDelegate: AnyObject {
    /// Creates the delegate. Called by ``main()``.
    init()
    /// Reports that the program has started. The return value is ignored.
    ///
    /// - Parameters:
    ///   - application: The program.
    ///   - launchOptions: Always `nil`.
    /// - Returns: Ignored.
    func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// Reports that a background session needs the program. Open the session again with the given identifier.
    ///
    /// The session reports its events after this method has returned. If the program was started for the session, the
    /// program exits after `completionHandler` has been called and the session has reported all events.
    ///
    /// - Parameters:
    ///   - application: The program.
    ///   - identifier: The identifier of the session.
    ///   - completionHandler: A closure to call after `urlSessionDidFinishEvents`, on any thread.
    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)
    /// Reports that the user has begun to work with the program.
    func applicationDidBecomeActive(_ application: BackgroundApplication)
    /// Reports that the user is about to leave the program.
    func applicationWillResignActive(_ application: BackgroundApplication)
    /// Reports that the user has left the program.
    func applicationDidEnterBackground(_ application: BackgroundApplication)
    /// Reports that the user is about to work with the program.
    func applicationWillEnterForeground(_ application: BackgroundApplication)
    /// Reports that the program has handled the events that it was started for and is about to exit.
    func applicationWillTerminate(_ application: BackgroundApplication)
}

extension BackgroundApplication {
    /// A key of the launch options, which contain the reason for the launch.
    public struct LaunchOptionsKey: Hashable, Sendable, RawRepresentable {
        /// The name of the key.
        public var rawValue: String
        /// Creates a key from its name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension BackgroundApplicationDelegate {
    /// Does nothing.
    public func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Calls the completion handler immediately. A session that the program has opened still reports its events.
    public func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) { completionHandler() }

    /// Does nothing.
    public func applicationDidBecomeActive(_ application: BackgroundApplication) {}
    /// Does nothing.
    public func applicationWillResignActive(_ application: BackgroundApplication) {}
    /// Does nothing.
    public func applicationDidEnterBackground(_ application: BackgroundApplication) {}
    /// Does nothing.
    public func applicationWillEnterForeground(_ application: BackgroundApplication) {}
    /// Does nothing.
    public func applicationWillTerminate(_ application: BackgroundApplication) {}

    /// Runs the program until it exits. A program that was started for a session exits after the session's events
    /// have been handled.
    @MainActor
    public static func main() {
        let delegate = Self()
        let application = BackgroundApplication.shared
        application.delegate = delegate
        let calls = MainQueueDelegate(delegate)
        application.register { session, done, returned in
            DispatchQueue.main.async {
                calls.handle(session, done)
                returned()
            }
        }
        // A session that is created in the next call does not report its events before the handler has returned.
        if let session = application.launchSession { application.expectLaunch(for: session) }
        _ = delegate.application(application, didFinishLaunchingWithOptions: nil)
        application.report(BackgroundApplication.didFinishLaunchingNotification)
        application.handleLaunch {
            DispatchQueue.main.async {
                application.report(BackgroundApplication.willTerminateNotification)
                exit(0)
            }
        }
        RunLoop.main.run()
        // The main run loop returns if it has no sources. Dispatch queues still need this thread.
        dispatchMain()
    }
}

/// A wrapper that calls a delegate on the main queue only.
private final class MainQueueDelegate: @unchecked Sendable {
    private let delegate: any BackgroundApplicationDelegate

    init(_ delegate: any BackgroundApplicationDelegate) { self.delegate = delegate }

    func handle(_ session: String, _ done: @escaping @Sendable () -> Void) {
        delegate.application(.shared, handleEventsForBackgroundURLSession: session, completionHandler: done)
    }
}
