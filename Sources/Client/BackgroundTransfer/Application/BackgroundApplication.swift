// SPDX-License-Identifier: Apache-2.0
package import Dispatch
internal import Foundation
internal import Synchronization

/// The program that owns the background sessions: its focus, its launch command, and its handler for events.
///
/// A program with an app delegate in Apple's form only needs `@main`:
///
/// ```swift
/// @main
/// final class AppDelegate: NSObject, BackgroundApplicationDelegate {
///     func application(
///         _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
///         completionHandler: @escaping @Sendable () -> Void
///     ) { … }
/// }
/// ```
///
/// Other programs register a closure with ``onEvents(_:)`` and run their own loop.
public final class BackgroundApplication: Sendable {
    /// A handler for a session that needs the program.
    ///
    /// The handler opens the session with the identifier in the first argument. It calls the second argument after
    /// the session has reported all events.
    public typealias EventHandler = @Sendable (String, @escaping @Sendable () -> Void) -> Void

    /// The single instance.
    public static let shared = BackgroundApplication()

    /// The name of the environment variable that names the session for which the program was started.
    package static let sessionVariable = "BACKGROUND_TRANSFER_SESSION"

    /// A handler that calls `returned` after the app's own handler has returned.
    typealias Handler =
        @Sendable (
            _ session: String, _ done: @escaping @Sendable () -> Void, _ returned: @escaping @Sendable () -> Void
        ) -> Void

    struct Content {
        var handler: Handler?
        var command: [String]?
        var containers: Set<String>?
        var isInFront = true
        var isStartedForEvents = false
        var waiting: [String] = []
        var delivery = EventDelivery()
        var delegate = DelegateReference(nil)
        var afterEvents: (@Sendable () -> Void)?
    }

    let content = Mutex(Content())
    /// The maximum time without an event, after which a program that was started for its events ends.
    let idleLimit: DispatchTimeInterval

    /// Creates an instance in addition to ``shared``, for a test.
    package init(idleLimit: DispatchTimeInterval = .seconds(30)) { self.idleLimit = idleLimit }

    // MARK: Foreground

    /// A Boolean value that indicates whether the user is working with the program.
    ///
    /// The value is `true` until the program sets it, and `false` if the program was started for its sessions.
    ///
    /// If the desktop reports which program has the focus, the report takes precedence. `true` then holds until the
    /// desktop reports a change for the program. `false` holds while none of its windows has the focus.
    public var isInFront: Bool {
        get { content.withLock(\.isInFront) }
        set {
            storeInFront(newValue)
            SessionChannels.chosenChannel?.setInFront(newValue)
        }
    }

    /// Stores the value that the daemon reported when a session was opened.
    package func storeInFront(_ isInFront: Bool) {
        let hasChanged = content.withLock { content in
            defer { content.isInFront = isInFront }
            return content.isInFront != isInFront
        }
        if hasChanged { reportFront(isInFront) }
    }

    // MARK: Launching

    /// The command that starts the program for its sessions if the program has no bus name: an absolute path,
    /// followed by arguments.
    ///
    /// The default, `nil`, starts the current executable without arguments. Set the property before the first
    /// background session is opened.
    public var relaunchCommand: [String]? {
        get { content.withLock(\.command) }
        set { content.withLock { $0.command = newValue } }
    }

    /// The shared containers for whose sessions the program is started. Any program of the container may have opened
    /// the session.
    ///
    /// A publisher's main program sets the containers' identifiers (`sharedContainerIdentifier`), and its helpers do
    /// not. If several programs name a container, the first is started.
    ///
    /// The default, `nil`, leaves the daemon's stored value unchanged. Set the property before the first background
    /// session is opened; the daemon stores the value. At most 100 identifiers of 1 to 255 bytes each.
    public var sharedContainerIdentifiers: Set<String>? {
        get { content.withLock(\.containers) }
        set { content.withLock { $0.containers = newValue } }
    }

    /// The launch command, or the path of this executable if none is set.
    package var effectiveRelaunchCommand: [String]? {
        if let command = relaunchCommand { return command }
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return path.map { [$0] }
    }

    /// Registers the handler for sessions that need the program, and calls it for each session that is already
    /// waiting.
    ///
    /// The session reports its events after the handler has returned.
    ///
    /// - Parameter handler: The handler. It replaces any earlier handler.
    public func onEvents(_ handler: @escaping EventHandler) {
        register { session, done, returned in
            handler(session, done)
            returned()
        }
    }

    func register(_ handler: @escaping Handler) {
        let waiting = content.withLock { content in
            content.handler = handler
            defer { content.waiting = [] }
            return content.waiting
        }
        for session in waiting { handleEvents(of: session) }
    }

    /// The session that the program was started for. `nil` after ``handleLaunch(then:)`` was called.
    var launchSession: String? {
        ProcessInfo.processInfo.environment[Self.sessionVariable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Checks whether the program was started for a session, and if so calls the registered handler. Call this method
    /// once, after ``onEvents(_:)``. A session that is opened before this call may report events before the handler is
    /// called.
    ///
    /// The program's work is done after every handler has called its completion handler, and the program has
    /// acknowledged all events of the sessions. The program stops waiting for a session that is not opened, or that
    /// reports nothing for 30 seconds.
    ///
    /// - Parameter finish: A closure to call once, after all events that the program was started for have been handled.
    ///   Not called if the program was started otherwise.
    /// - Returns: Whether the program was started for a session.
    @discardableResult
    public func handleLaunch(then finish: @escaping @Sendable () -> Void = {}) -> Bool {
        guard let session = launchSession else {
            if isStartedForEvents { waitForCall(then: finish) }
            return isStartedForEvents
        }
        // Child processes of this program were not started for a session.
        unsetenv(Self.sessionVariable)
        handleLaunch(for: session, then: finish)
        return true
    }

    /// Calls the registered handler for the session that the program was started for, and calls `finish` after all
    /// events that the program was started for have been handled.
    package func handleLaunch(for session: String, then finish: @escaping @Sendable () -> Void) {
        content.withLock { content in
            content.isInFront = false
            content.afterEvents = finish
        }
        handleEvents(of: session, isLaunch: true)
    }
}
