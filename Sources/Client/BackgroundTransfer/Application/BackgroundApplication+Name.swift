// SPDX-License-Identifier: Apache-2.0
internal import Dispatch

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
}
