// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The settings of the server for aria2's JSON-RPC, from the table `[rpc]` of `config.toml`.
package struct RPCSettings: Hashable, Sendable, Codable {
    /// The port on the loopback interface. 1024 to 65535; the default is 6800, as in aria2.
    package var port = 6800
    /// The secret that every call must contain. `nil` means the one in the file `rpc-token` of the state folder.
    package var token: String?
    /// The absolute path of the folder beneath which callers may put files.
    package var directory: String
    /// The origins of web pages that may call. Empty by default: no page may.
    package var origins: [String] = []
    /// The kind of downloads that do not state their own. The default is `discretionary`.
    package var kind = WorkKind.discretionary

    /// Creates settings with defaults.
    package init(directory: String) { self.directory = directory }
}

/// The orders of the daemon to the program `transfer-rpc` at its start: a line of JSON on a socket.
package struct RPCOrder: Hashable, Sendable, Codable {
    /// The settings, with a token.
    package var settings: RPCSettings
    /// The address of the bus.
    package var bus: String

    /// Creates an order.
    package init(settings: RPCSettings, bus: String) { (self.settings, self.bus) = (settings, bus) }
}
