// SPDX-License-Identifier: Apache-2.0

/// A process that uses sessions.
package struct SessionUser: Hashable, Sendable {
    /// Tells it from all others, also of the same process number.
    package var name: String
    package var process: Int32
    /// The process that leads its Unix session: programs that another one starts run in that one's.
    package var leader: Int32?
    package var app: String
    /// Whether a person works with it, as it says; nil where it does not say.
    package var isInFront: Bool?
    /// Whether it had the session before, and lost sight of this program only.
    package var isBack = false
    /// Whether a program that was started for the app's sessions still runs: what comes then is nothing that a person has
    /// started, even if it is another process.
    package var isLaunched = false
    /// Whether it runs in a sandbox.
    package var isSandboxed = false
    /// The path of its executable; empty where it is not known.
    package var executable = ""
    /// The shared containers whose sessions its app is started for; nil where it does not say.
    package var containers: Set<String>?

    package init(name: String, process: Int32, app: String) {
        self.name = name
        self.process = process
        self.app = app
    }
}
