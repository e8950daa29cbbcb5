// SPDX-License-Identifier: Apache-2.0

/// Functions that search the files of DHCP clients for the metered state of a network.
///
/// A phone that shares its connection sends `ANDROID_METERED` in the vendor-specific option, number 43, of its DHCP
/// replies.
enum DHCPLease {
    /// The word that phones send.
    private static let word = Array("ANDROID_METERED".utf8)

    /// Returns whether the bytes of option 43 say that the network is metered.
    static func isMetered(vendorOption bytes: some Collection<UInt8>) -> Bool {
        var rest = bytes[...]
        while rest.count >= word.count {
            if rest.starts(with: word) { return true }
            rest.removeFirst()
        }
        return false
    }

    /// Returns whether a lease of systemd-networkd says that the network is metered. The line is `VENDOR_SPECIFIC=`
    /// with hexadecimal digits.
    static func isMetered(networkd text: String) -> Bool {
        let key = "VENDOR_SPECIFIC="
        return text.split(whereSeparator: \.isNewline).contains { line in
            line.hasPrefix(key) && isMetered(vendorOption: octets(line.dropFirst(key.count), separator: nil))
        }
    }

    /// Returns whether the newest lease for `interface` in a file of ISC dhclient says that the network is metered. An
    /// expired lease does not count.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
    static func isMetered(dhclient text: String, interface: String, now: Int64) -> Bool {
        var isInside = false
        var lease = Lease()
        var newest: Lease?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            if line.hasPrefix("lease") {
                (isInside, lease) = (true, Lease())
            } else if line.hasPrefix("}") {
                if isInside, lease.interface == interface { newest = lease }
                isInside = false
            } else if isInside {
                lease.read(line)
            }
        }
        guard let newest, newest.isMetered else { return false }
        return newest.expiry.map { $0 > now } ?? true
    }

    /// Returns whether a lease of dhcpcd says that the network is metered. The file contains the server's reply as
    /// received. An expired lease does not count.
    ///
    /// - Parameter age: The time since the reply, in seconds.
    static func isMetered(dhcpcd bytes: [UInt8], age: Int64) -> Bool {
        let (headLength, cookie): (Int, [UInt8]) = (236, [99, 130, 83, 99])
        guard bytes.count > headLength + cookie.count, Array(bytes[headLength..<(headLength + 4)]) == cookie else {
            return false
        }
        var rest = bytes[(headLength + cookie.count)...]
        var isMetered = false
        while let code = rest.popFirst() {
            if code == 0 { continue }  // padding
            if code == 255 { break }
            guard let length = rest.popFirst(), rest.count >= Int(length) else { return false }
            let value = rest.prefix(Int(length))
            if code == 43 { isMetered = isMetered || self.isMetered(vendorOption: value) }
            // The duration of the lease, in seconds.
            if code == 51, value.reduce(0, { $0 << 8 | Int64($1) }) <= age { return false }
            rest = rest.dropFirst(Int(length))
        }
        return isMetered
    }

    /// A lease in a file of dhclient.
    private struct Lease {
        var interface: String?
        var isMetered = false
        /// The expiry, in seconds since 1970; `nil` if the lease never expires.
        var expiry: Int64?

        /// Reads a line between the braces.
        mutating func read(_ line: Substring) {
            let words = line.prefix { $0 != ";" }.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count > 1 else { return }
            switch (words[0], words[1]) {
            case ("interface", let name): interface = name.filter { $0 != "\"" }
            case ("option", "vendor-encapsulated-options") where words.count == 3:
                let value = words[2]
                let isText = value.hasPrefix("\"")
                isMetered = DHCPLease.isMetered(
                    vendorOption: isText ? Array(value.utf8) : octets(value[...], separator: ":"))
            case ("expire", let first): expiry = Self.time(first, words.count == 3 ? words[2] : "")
            default: break
            }
        }

        /// Parses a time: `never`, `epoch 1700000000`, or `5 2026/01/30 12:00:00` in UTC. The last form begins with
        /// the day of the week. Returns `nil` for `never`.
        private static func time(_ first: String, _ rest: String) -> Int64? {
            let components = rest.split { "/: ".contains($0) }.map { Int64($0) }
            if first == "epoch" { return components.first ?? nil }
            guard components.count >= 6, let year = components[0], let month = components[1], let day = components[2],
                let hour = components[3], let minute = components[4], let second = components[5]
            else { return nil }
            return daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        }

        /// Returns the days of the Gregorian calendar since 1970, computed with years that begin in March.
        private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
            let year = month <= 2 ? year - 1 : year
            let monthFromMarch = (month + 9) % 12
            return year * 365 + year / 4 - year / 100 + year / 400 + (monthFromMarch * 306 + 5) / 10 + day - 719_469
        }
    }

    /// Returns the bytes of hexadecimal text. Each byte has two digits, or all the digits between separators.
    static func octets(_ text: Substring, separator: Character?) -> [UInt8] {
        if let separator { return text.split(separator: separator).compactMap { UInt8($0, radix: 16) } }
        var bytes: [UInt8] = []
        var rest = text
        while rest.count >= 2, let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
