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
    /// If the program was started for the session, it exits after `completionHandler` has been called.
    ///
    /// - Parameters:
    ///   - application: The program.
    ///   - identifier: The identifier of the session.
    ///   - completionHandler: A closure to call after `urlSessionDidFinishEvents`, on any thread.
    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)
}

extension BackgroundApplication {
    /// A key of the launch options, which say why the program was started.
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

    /// Ignores the session's events and calls the completion handler immediately.
    public func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) { completionHandler() }

    /// Runs the program until it exits. A program that was started for a session exits after the session's events
    /// have been handled.
    @MainActor
    public static func main() {
        let delegate = Self()
        let application = BackgroundApplication.shared
        _ = delegate.application(application, didFinishLaunchingWithOptions: nil)
        let calls = MainQueueDelegate(delegate)
        application.onEvents { session, done in
            DispatchQueue.main.async { calls.handle(session, done) }
        }
        application.handleLaunch { exit(0) }
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
