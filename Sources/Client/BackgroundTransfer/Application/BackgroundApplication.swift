// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization

/// The program as its background sessions see it: its focus, its launch command, and its handler for events.
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

    private struct Content {
        var handler: EventHandler?
        var command: [String]?
        var containers: Set<String>?
        var isInFront = true
        var waiting: [String] = []
        /// The number of sessions that are being handled.
        var handling = 0
        var afterEvents: (@Sendable () -> Void)?
    }

    private let content = Mutex(Content())

    init() {}

    // MARK: In front, or not

    /// A Boolean value that indicates whether the user is working with the program.
    ///
    /// The value is `true` until the program sets it, and `false` if the program was started for its sessions.
    ///
    /// If the desktop reports which program has the focus, the report takes precedence. `true` then holds until the
    /// desktop reports a change for the program. `false` holds while none of its windows has the focus.
    public var isInFront: Bool {
        get { content.withLock(\.isInFront) }
        set {
            content.withLock { $0.isInFront = newValue }
            SessionChannels.chosenChannel?.setInFront(newValue)
        }
    }

    /// Stores the value that the daemon reported when a session was opened.
    package func storeInFront(_ isInFront: Bool) { content.withLock { $0.isInFront = isInFront } }

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

    /// The shared containers for whose sessions the program is started, whichever of the container's programs opened
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
    /// - Parameter handler: The handler. It replaces any earlier handler.
    public func onEvents(_ handler: @escaping EventHandler) {
        let waiting = content.withLock { content in
            content.handler = handler
            defer { content.waiting = [] }
            return content.waiting
        }
        for session in waiting { handleEvents(of: session) }
    }

    /// Calls the registered handler, or keeps the session until a handler is registered.
    package func handleEvents(of session: String) {
        let handler = content.withLock { content -> EventHandler? in
            guard let handler = content.handler else {
                content.waiting.append(session)
                return nil
            }
            content.handling += 1
            return handler
        }
        guard let handler else { return }
        let isDone = Mutex(false)
        handler(session) { [self] in
            let isFirst = isDone.withLock { done in
                defer { done = true }
                return !done
            }
            if isFirst { handled() }
        }
    }

    private func handled() {
        let after = content.withLock { content in
            content.handling -= 1
            return content.handling == 0 ? content.afterEvents : nil
        }
        after?()
    }

    /// Checks whether the program was started for a session, and if so calls the registered handler. Call this method
    /// once, after ``onEvents(_:)``.
    ///
    /// - Parameter finish: A closure to call after all events that the program was started for have been handled. Not
    ///   called if the program was started otherwise.
    /// - Returns: Whether the program was started for a session.
    @discardableResult
    public func handleLaunch(then finish: @escaping @Sendable () -> Void = {}) -> Bool {
        guard let session = ProcessInfo.processInfo.environment[Self.sessionVariable], !session.isEmpty else {
            return false
        }
        content.withLock { content in
            content.isInFront = false
            content.afterEvents = finish
        }
        // Child processes of this program were not started for a session.
        unsetenv(Self.sessionVariable)
        handleEvents(of: session)
        return true
    }
}
