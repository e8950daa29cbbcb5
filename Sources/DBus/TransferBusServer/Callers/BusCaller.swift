// SPDX-License-Identifier: Apache-2.0

/// A program on the bus that calls the daemon, identified as an app with a degree of trust.
///
/// The daemon trusts a program of its own user outside any sandbox not to be malicious, and protects that program
/// only from mistakes. The daemon grants a sandboxed program nothing that the sandbox denies (rule C1).
package struct BusCaller: Hashable, Sendable {
    /// The degree of trust in a caller.
    package enum Kind: Hashable, Sendable {
        /// The `transferctl` installed beside the running daemon. Acts as the user and can access all transfers.
        case person
        /// A program outside any sandbox.
        case app
        /// A program inside a sandbox, or a program that may be inside a sandbox.
        case sandboxed(Sandbox)
    }

    /// The kind of sandbox, which determines how the daemon can restart the app.
    package enum Sandbox: Hashable, Sendable {
        case flatpak
        case snap
        /// Any other sandbox. Nothing vouches for the app's name, and the daemon cannot start the app.
        case opaque
    }

    /// The unique name of the caller's connection.
    package var name: String
    /// The app id, fixed at the caller's first call.
    ///
    /// The id of a sandboxed caller is the id of the sandbox. The id of a caller in a sandbox that the user has
    /// admitted is the app or the name of its systemd unit. The id of any other caller is the first of these that
    /// exists:
    /// - the app for which the daemon started the process
    /// - the well-known name that the app owns on the bus
    /// - the app of the systemd unit
    /// - the path of the script
    /// - the path of the executable
    package var app: String
    /// The degree of trust in the caller.
    package var kind: Kind
    /// The process id; 0 if the process is unknown.
    package var process: Int32
    /// Whether the caller's sandbox shares the network of this machine. True outside sandboxes, and for snaps, whose access
    /// to the network cannot be determined.
    package var hasNetwork = true
    /// The path of the executable as the daemon sees it; empty if the path is unknown.
    package var executable = ""

    /// Creates a caller. Leaves `executable` empty.
    package init(name: String, app: String, kind: Kind, process: Int32 = 0) {
        self.name = name
        self.app = app
        self.kind = kind
        self.process = process
    }

    /// Whether the caller acts as the user and can access all transfers.
    package var isPerson: Bool { kind == .person }

    /// Whether the caller is, or may be, in a sandbox. A sandboxed caller passes descriptors, never paths, and names
    /// no launch command.
    package var isSandboxed: Bool {
        switch kind {
        case .sandboxed: true
        case .person, .app: false
        }
    }

    /// The app id that owns the user's own transfers.
    package static let person = "person"

    /// The app id that owns the transfers of all RPC callers, who use the program `transfer-rpc` beside the daemon.
    package static let rpc = "rpc"

    /// The prefix of the app ids of opaque sandboxes, whose names nothing vouches for.
    package static let opaquePrefix = "sandbox:"
}

extension BusCaller {
    /// Whether the caller may see and control what belongs to `app`.
    package func reaches(_ app: String) -> Bool { isPerson || self.app == app }

    /// The name under which an app's limits are counted. All opaque sandboxes share a single name, because a program
    /// can create any number of opaque sandboxes.
    package static func limitGroup(of app: String) -> String {
        app.hasPrefix(opaquePrefix) ? opaquePrefix : app
    }
}
