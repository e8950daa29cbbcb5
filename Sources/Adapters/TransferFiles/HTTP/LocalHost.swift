// SPDX-License-Identifier: Apache-2.0
import Foundation
internal import HTTPSyntax
internal import TransferModel

/// A namespace for recognizing hosts that are reached only from this machine or its own network.
///
/// A public server must not lead a transfer to such a host: a router, a printer, or a service of this machine would
/// answer a request that the server chose.
package enum LocalHost {
    /// Returns whether a host is this machine or on its own network, by its address or by a name for local use.
    ///
    /// Any other name counts as public, whatever its addresses are. ``resolves(_:)`` looks them up.
    ///
    /// - Parameter host: A name or an address, in any form that libcurl understands in a URL.
    package static func contains(_ host: String) -> Bool {
        let decoded = String(decodingUTF8: PercentCoding.decode(host)) ?? host
        // libcurl converts wide digits and dots, as browsers do.
        var name = decoded.precomposedStringWithCompatibilityMapping.lowercased().replacing("\u{3002}", with: ".")
        while name.hasSuffix(".") { name.removeLast() }
        if name.contains(":") { return isLocalAddress6(name.filter { $0 != "[" && $0 != "]" }) }
        var address = in_addr()
        // Also reads one to four numbers that are decimal, octal, or hexadecimal.
        if inet_aton(name, &address) != 0 { return isLocal(UInt32(bigEndian: address.s_addr)) }
        let label = name.split(separator: ".").last.map(String.init) ?? name
        return LoopbackHost.contains(name) || label == name || localDomains.contains(label)
            || name.hasSuffix(".home.arpa")
    }

    /// Returns whether any address of a name is this machine's or its network's. Blocks until the resolver answers.
    ///
    /// A name without addresses is not local, because no request to it succeeds.
    package static func resolves(_ host: String) -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let name = String(decodingUTF8: PercentCoding.decode(host.filter { $0 != "[" && $0 != "]" })) ?? host
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return false }
        defer { freeaddrinfo(first) }
        var next = first
        while let entry = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let count = socklen_t(text.count)
            guard getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, count, nil, 0, NI_NUMERICHOST) == 0 else {
                return true
            }
            if contains(text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }) { return true }
            next = entry.ai_next
        }
        return false
    }

    /// The top-level domains of names for local use (RFC 6762, RFC 8375, and ICANN's reservation of `internal`), and
    /// those that routers and distributions use.
    private static let localDomains: Set = ["local", "internal", "lan", "localdomain"]

    /// The networks of IPv4 that are not public (RFC 6890), with the lengths of their prefixes.
    private static let networks4: [(UInt32, length: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xE000_0000, 3),
    ]

    private static func isLocal(_ address: UInt32) -> Bool {
        networks4.contains { ($0 ^ address) >> (32 - $1) == 0 }
    }

    /// Returns whether an IPv6 address is local, also if it contains an IPv4 address. A text that is no address counts
    /// as local, because no request to it succeeds.
    private static func isLocalAddress6(_ text: String) -> Bool {
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1 else { return true }
        let bytes = withUnsafeBytes(of: &address) { Array($0) }
        func embedded(_ start: Int) -> Bool { isLocal(bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }) }
        func begins(_ prefix: UInt8...) -> Bool { bytes.starts(with: prefix) }
        let isZero = bytes.prefix(10).allSatisfy { $0 == 0 }
        // Mapped (RFC 4291 §2.5.5), translated (RFC 6052), and 6to4 (RFC 3056) addresses.
        if isZero, bytes[10] == bytes[11], [0, 0xFF].contains(bytes[10]) { return embedded(12) }
        if begins(0, 0x64, 0xFF, 0x9B) { return bytes[4..<12].contains { $0 != 0 } || embedded(12) }
        if begins(0x20, 0x02) { return embedded(2) }
        // Unique local, link-local, site-local, and multicast addresses.
        return bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0x80 == 0x80 || bytes[0] == 0xFF
    }
}
