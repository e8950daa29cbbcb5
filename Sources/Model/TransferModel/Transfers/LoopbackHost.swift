// SPDX-License-Identifier: Apache-2.0

/// A namespace for recognizing this machine's own servers, which need no network and cost nothing.
public enum LoopbackHost {
    /// Returns whether `host` is this machine: 127.0.0.0/8, ::1, or a loopback name of RFC 6761 §6.3.
    ///
    /// - Parameter host: A name or an address, as it appears in a URL.
    public static func contains(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if name == "::1" || name == "[::1]" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                // `UInt8` alone would also accept a sign.
                part.allSatisfy(\.isNumber) && UInt8(part) != nil
            }
    }

    /// Returns whether requests to `host` stay on this machine.
    ///
    /// Behind a proxy, the name of this machine refers to the proxy's machine, and requests use the network.
    package static func contains(_ host: String, unlessProxied isProxied: @autoclosure () -> Bool) -> Bool {
        contains(host) && !isProxied()
    }
}
