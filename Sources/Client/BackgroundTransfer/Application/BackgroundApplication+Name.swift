// SPDX-License-Identifier: Apache-2.0
internal import Dispatch

extension BackgroundApplication {
    /// Takes a well-known name on the session bus, such as `org.example.App`: by it the daemon knows the program, and where a
    /// service file of the bus names it, has the bus start the program for its sessions.
    ///
    /// Call it after ``onEvents(_:)`` and before the first background session is made. It blocks until the name is taken. A
    /// program that takes the name by other means, as toolkits do, needs not call it, but is called by nobody then while it
    /// has no session open.
    /// - Throws: `SessionError` where the bus cannot be reached, or the name is another program's.
    public func takeName(_ name: String) throws(SessionError) {
        try DaemonChannel.shared.serve(as: name) { session in
            // Who is called makes the session again, which waits for the thread that this comes on.
            DispatchQueue.global().async { self.handleEvents(of: session) }
        }
    }
}
