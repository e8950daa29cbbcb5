// SPDX-License-Identifier: Apache-2.0

/// Tells this machine's own servers from others: they need no network and cost nothing.
public enum LoopbackHost {
    /// Whether `host`, a name or an address as it stands in a URL, is this machine: 127.0.0.0/8, ::1, and the names that
    /// RFC 6761 §6.3 gives to the loopback.
    public static func contains(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if name == "::1" || name == "[::1]" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                // UInt8 would take a sign, too.
                part.allSatisfy(\.isNumber) && UInt8(part) != nil
            }
    }

    /// Returns whether requests to `host` stay on this machine.
    ///
    /// Behind a proxy the name of this machine means another machine, and the way there is the network.
    package static func contains(_ host: String, unlessProxied isProxied: @autoclosure () -> Bool) -> Bool {
        contains(host) && !isProxied()
    }
}
