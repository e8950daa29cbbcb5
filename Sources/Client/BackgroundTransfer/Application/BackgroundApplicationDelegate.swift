// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// A program's delegate in Apple's form; `@main` on a class that conforms to it makes the program.
public protocol BackgroundApplicationDelegate: AnyObject {
    /// Made by `main()`.
    init()
    /// The program has started. Its answer changes nothing.
    func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// A background session needs the program: make it again, with that identifier; call `completionHandler` once
    /// `urlSessionDidFinishEvents` was called, on any thread. A program that was started for this ends then.
    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)
}

extension BackgroundApplication {
    /// Why the program was started.
    public struct LaunchOptionsKey: Hashable, Sendable, RawRepresentable {
        /// Its name.
        public var rawValue: String
        /// A key of that name.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension BackgroundApplicationDelegate {
    /// Does nothing.
    public func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }

    /// Makes the session's events the program's own affair: it has none.
    public func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) { completionHandler() }

    /// Runs the program: until it ends itself or, where it was started for a session, until that is dealt with.
    @MainActor
    public static func main() {
        let delegate = Self()
        let application = BackgroundApplication.shared
        _ = delegate.application(application, didFinishLaunchingWithOptions: nil)
        let calls = MainCalls(delegate)
        application.onEvents { session, done in
            DispatchQueue.main.async { calls.handle(session, done) }
        }
        application.handleLaunch { exit(0) }
        RunLoop.main.run()
        // The main run loop ends where nothing is in it; queues still want this thread.
        dispatchMain()
    }
}

/// Calls a delegate on the main queue, and there only.
private final class MainCalls: @unchecked Sendable {
    private let delegate: any BackgroundApplicationDelegate

    init(_ delegate: any BackgroundApplicationDelegate) { self.delegate = delegate }

    func handle(_ session: String, _ done: @escaping @Sendable () -> Void) {
        delegate.application(.shared, handleEventsForBackgroundURLSession: session, completionHandler: done)
    }
}
