// SPDX-License-Identifier: Apache-2.0

/// A process that uses sessions.
package struct ClientProcess: Hashable, Sendable {
    /// The unique name of the process. Distinguishes the process from all others, also from a later process with the
    /// same process ID.
    package var name: String
    package var process: Int32
    /// The process that leads the Unix session of this process. A program runs in the same Unix session as the
    /// program that started it.
    package var leader: Int32?
    package var app: String
    /// Whether the process reports that it is in the foreground; `nil` if the process does not say.
    package var isInFront: Bool?
    /// Whether the process had the session open before, and only lost its connection to the host.
    package var isReconnecting = false
    /// Whether a program that was started for the app's sessions still runs. In that case a new process was not
    /// started by the user, even if its process ID differs.
    package var isLaunched = false
    /// Whether the process runs in a sandbox.
    package var isSandboxed = false
    /// The path of the executable; empty if it is unknown.
    package var executable = ""
    /// The shared containers whose sessions the app wants to be started for; `nil` if the process does not say.
    package var containers: Set<String>?

    package init(name: String, process: Int32, app: String) {
        self.name = name
        self.process = process
        self.app = app
    }
}
