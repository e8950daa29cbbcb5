// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization

/// The program, as far as its background sessions need to know it: whether a person works with it, how it is started for
/// its sessions, and whom to call then.
///
/// A program with an app delegate in Apple's form needs no more than `@main`:
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
/// Others register a closure with ``onEvents(_:)``, and run their own loop.
public final class BackgroundApplication: Sendable {
    /// Called for a session that needs the program: makes the session again, with that identifier, and calls the second
    /// argument once it has told everything.
    public typealias EventHandler = @Sendable (String, @escaping @Sendable () -> Void) -> Void

    /// The one there is.
    public static let shared = BackgroundApplication()

    /// The environment variable by which a program learns that it was started for a session.
    package static let sessionVariable = "BACKGROUND_TRANSFER_SESSION"

    private struct Content {
        var handler: EventHandler?
        var command: [String]?
        var containers: Set<String>?
        var isInFront = true
        var waiting: [String] = []
        /// How many sessions are being handled.
        var handling = 0
        var afterEvents: (@Sendable () -> Void)?
    }

    private let content = Mutex(Content())

    init() {}

    // MARK: In front, or not

    /// Whether a person works with the program, as far as it says: true until it says otherwise, or where it was started for
    /// its sessions. Where the desktop tells which program has the focus, that counts for more: true holds until the desktop
    /// tells something new of the program, false while none of its windows has the focus.
    public var isInFront: Bool {
        get { content.withLock(\.isInFront) }
        set {
            content.withLock { $0.isInFront = newValue }
            SessionChannels.chosenOrNone?.setInFront(newValue)
        }
    }

    /// The daemon has said so when a session was opened.
    package func noteInFront(_ isInFront: Bool) { content.withLock { $0.isInFront = isInFront } }

    // MARK: Being started

    /// How the program is started for its sessions where it has no name on the bus: an absolute path and what it is given.
    /// Nil, as at first: itself, without arguments. Set it before the first background session is made.
    public var relaunchCommand: [String]? {
        get { content.withLock(\.command) }
        set { content.withLock { $0.command = newValue } }
    }

    /// The shared containers (`sharedContainerIdentifier`) whose sessions the program is started for, whichever of the
    /// container's programs made them: the publisher's main program names them, its helpers do not.
    ///
    /// Nil, as at first, says nothing. Set it before the first background session is made; the daemon keeps it from then on.
    /// Of several programs that name a container, the first is started. At most 100, of 1 to 255 bytes.
    public var sharedContainerIdentifiers: Set<String>? {
        get { content.withLock(\.containers) }
        set { content.withLock { $0.containers = newValue } }
    }

    /// What starts it.
    package var effectiveRelaunchCommand: [String]? {
        if let command = relaunchCommand { return command }
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return path.map { [$0] }
    }

    /// Registers who is called for sessions that need the program, and calls it for those that do already.
    public func onEvents(_ handler: @escaping EventHandler) {
        let waiting = content.withLock { content in
            content.handler = handler
            defer { content.waiting = [] }
            return content.waiting
        }
        for session in waiting { handleEvents(of: session) }
    }

    /// Calls who is registered.
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

    /// Looks whether the program was started for a session, and calls who is registered. Once, after ``onEvents(_:)``.
    ///
    /// - Parameter finish: what is done when all that it was started for has been handled; not called otherwise.
    /// - Returns: whether it was.
    @discardableResult
    public func handleLaunch(then finish: @escaping @Sendable () -> Void = {}) -> Bool {
        guard let session = ProcessInfo.processInfo.environment[Self.sessionVariable], !session.isEmpty else {
            return false
        }
        content.withLock { content in
            content.isInFront = false
            content.afterEvents = finish
        }
        // A program that this one starts was not.
        unsetenv(Self.sessionVariable)
        handleEvents(of: session)
        return true
    }
}
