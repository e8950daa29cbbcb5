// SPDX-License-Identifier: Apache-2.0
import Foundation
import TOMLKit
package import TransferModel

extension DaemonConfiguration {
    private static let rpcKeys = ["enabled", "port", "token", "directory", "origins", "kind"]

    /// Returns the settings of the RPC server in the table `[rpc]`, or `nil` if it is not enabled.
    ///
    /// - Throws: `UsageError` that names the key, the error and its remedy.
    static func rpcSettings(_ key: String, _ value: (any TOMLValueConvertible)?) throws -> RPCSettings? {
        guard let table = value?.table else {
            throw UsageError("\(key)\(shown(value)): must be a table with 'enabled'")
        }
        if let other = table.keys.first(where: { !rpcKeys.contains($0) }) {
            throw UsageError("\(key): " + Suggestion.unknownKey(other, known: rpcKeys))
        }
        let isEnabled = try table["enabled"].map { try flag("\(key): enabled", $0) } ?? false
        let folder = try table["directory"].map { try text("\(key): directory", $0) } ?? "~/Downloads"
        let path = NSString(string: folder).expandingTildeInPath
        guard path.hasPrefix("/") else {
            throw UsageError("\(key): directory = \"\(folder)\": must be an absolute path, or begin with ~/")
        }
        var settings = RPCSettings(directory: path)
        if let port = table["port"] {
            settings.port = try ConfigurationNumber.number("\(key): port", port, in: 1024...65_535)
        }
        if let token = table["token"] { settings.token = try checkedToken("\(key): token", token) }
        if let origins = table["origins"] {
            guard let array = origins.array else {
                throw UsageError(
                    "\(key): origins\(shown(origins)): must be a list, such as [\"http://localhost:8080\"]")
            }
            settings.origins = try array.map { try checkedOrigin("\(key): origins", $0) }
        }
        if let kind = table["kind"] {
            guard let named = WorkKind(rawValue: try text("\(key): kind", kind)), named != .userInitiated else {
                throw UsageError("\(key): kind\(shown(kind)): must be one of normal, discretionary")
            }
            settings.kind = named
        }
        return isEnabled ? settings : nil
    }

    private static func checkedToken(_ key: String, _ value: any TOMLValueConvertible) throws -> String {
        let token = try text(key, value)
        // The error message must not contain the secret.
        guard (16...256).contains(token.utf8.count), token.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw UsageError("\(key): must have 16 to 256 visible ASCII characters; remove the key to have one made")
        }
        return token
    }

    private static func checkedOrigin(_ key: String, _ value: any TOMLValueConvertible) throws -> String {
        let origin = try text(key, value)
        let schemes = ["http", "https", "chrome-extension", "moz-extension"]
        guard let url = URLComponents(string: origin), schemes.contains(url.scheme ?? ""),
            url.host?.isEmpty == false, url.path.isEmpty, url.query == nil, url.user == nil
        else {
            throw UsageError("\(key) = \"\(origin)\": must be scheme, host, and port, such as http://localhost:8080")
        }
        return origin
    }
}

/// The settings of the server for aria2's JSON-RPC, from the table `[rpc]` of `config.toml`.
package struct RPCSettings: Hashable, Sendable, Codable {
    /// The port on the loopback interface. 1024 to 65535; the default is 6800, as in aria2.
    package var port = 6800
    /// The secret that every call must contain. `nil` means the one in the file `rpc-token` of the state folder.
    package var token: String?
    /// The absolute path of the folder beneath which callers may put files.
    package var directory: String
    /// The origins of web pages and of extensions of browsers that may call. Empty by default: no page may.
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
