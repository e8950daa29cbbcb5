// SPDX-License-Identifier: Apache-2.0

/// A program on the bus that calls the daemon: which app it is, and how far the daemon trusts it.
///
/// A program of the same user outside any sandbox is trusted not to be malicious and only kept from mistakes. A sandboxed
/// program is trusted with nothing that its sandbox denies it (rule C1).
package struct BusCaller: Hashable, Sendable {
    /// The degree of trust in a caller.
    package enum Kind: Hashable, Sendable {
        /// `transferctl` beside the running daemon: acts as the person and reaches all transfers.
        case person
        /// A program outside any sandbox.
        case app
        /// A program inside a sandbox, or one of which that cannot be ruled out.
        case sandboxed(Sandbox)
    }

    /// The kind of sandbox, which says how the app can be started again.
    package enum Sandbox: Hashable, Sendable {
        case flatpak
        case snap
        /// Any other sandbox; nobody vouches for the app's name, and nothing starts it.
        case opaque
    }

    /// The unique name of the caller's connection.
    package var name: String
    /// The app, fixed at its first call: its sandbox's id, else the name that it owns on the bus, else its systemd unit's
    /// app, else the path of its executable or script.
    package var app: String
    /// The degree of trust in the caller.
    package var kind: Kind
    /// The process id; 0 where it is not known.
    package var process: Int32
    /// The path of its executable as the daemon saw it; empty where it is not known.
    package var executable = ""

    /// A caller.
    package init(name: String, app: String, kind: Kind, process: Int32 = 0) {
        self.name = name
        self.app = app
        self.kind = kind
        self.process = process
    }

    /// Whether the caller acts as the person and reaches all transfers.
    package var isPerson: Bool { kind == .person }

    /// Whether the caller is, or may be, in a sandbox: it passes descriptors, never paths, and names no command.
    package var isSandboxed: Bool {
        switch kind {
        case .sandboxed: true
        case .person, .app: false
        }
    }

    /// The app that a person's own transfers belong to.
    package static let person = "person"

    /// The beginning of the app ids of sandboxes for whose names nobody vouches.
    package static let opaquePrefix = "sandbox:"
}

extension BusCaller {
    /// Whether what belongs to `app` is the caller's to see and to steer.
    package func reaches(_ app: String) -> Bool { isPerson || self.app == app }

    /// The name under which an app's limits count. Sandboxes without a name of their own share one, because a program can
    /// make as many of them as it likes.
    package static func limitGroup(of app: String) -> String {
        app.hasPrefix(opaquePrefix) ? opaquePrefix : app
    }
}
