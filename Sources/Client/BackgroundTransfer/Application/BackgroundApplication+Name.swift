// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

extension BackgroundApplication {
    /// Acquires a well-known name on the session bus, such as `org.example.App`. The daemon identifies the program by
    /// this name.
    ///
    /// If a service file of the bus declares the name, the daemon has the bus start the program for its sessions.
    ///
    /// Call this method after ``onEvents(_:)`` and before the first background session is opened. The method blocks
    /// until the name is acquired.
    ///
    /// A program whose toolkit acquires the name does not need this method. Without this method, the program is not
    /// called while it has no open session.
    ///
    /// - Parameter name: The bus name.
    /// - Throws: `SessionError` if the bus cannot be reached, or if another program owns the name.
    public func acquireName(_ name: String) throws(SessionError) {
        try DaemonChannel.shared.serve(as: name) { session in
            // The session may be opened before the handler runs. Its events wait for the handler.
            self.expectHandler(for: session)
            // The handler opens the session again, and that waits for the thread that delivers this call.
            DispatchQueue.global().async { self.handleEvents(of: session) }
        }
    }

    /// A Boolean value that indicates whether the session bus started the program for its sessions.
    ///
    /// The default is `false`. Set the property to `true` before ``handleLaunch(then:)`` is called if an argument shows
    /// that the service file's `Exec` line started the program. An app delegate sets the property in
    /// `application(_:didFinishLaunchingWithOptions:)`:
    ///
    /// ```swift
    /// try application.acquireName("org.example.App")
    /// application.isStartedForEvents = CommandLine.arguments.dropFirst() == ["--background"]
    /// ```
    ///
    /// The program then ends after it has handled the events that it is called for, or if it is not called for 30
    /// seconds. A program that the daemon starts by ``relaunchCommand`` does so in any case.
    public var isStartedForEvents: Bool {
        get { content.withLock(\.isStartedForEvents) }
        set { content.withLock { $0.isStartedForEvents = newValue } }
    }

    /// Calls `finish` after the events have been handled for which the daemon calls the program.
    func waitForCall(then finish: @escaping @Sendable () -> Void) {
        content.withLock { content in
            content.isInFront = false
            content.afterEvents = finish
        }
        deliver { $0.waitForCall() }
    }
}
