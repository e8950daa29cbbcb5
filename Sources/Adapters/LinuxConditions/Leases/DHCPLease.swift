// SPDX-License-Identifier: Apache-2.0

/// What the files of DHCP clients tell of a network's price.
///
/// A phone that shares its connection says so in the vendor's option, number 43, of its answers: `ANDROID_METERED`.
enum DHCPLease {
    /// What phones say.
    private static let word = Array("ANDROID_METERED".utf8)

    /// Whether the bytes of option 43 say that the network is metered.
    static func isMetered(vendorOption bytes: some Collection<UInt8>) -> Bool {
        var rest = bytes[...]
        while rest.count >= word.count {
            if rest.starts(with: word) { return true }
            rest.removeFirst()
        }
        return false
    }

    /// Whether a lease of systemd-networkd says so: `VENDOR_SPECIFIC=` and hexadecimal digits.
    static func isMetered(networkd text: String) -> Bool {
        let key = "VENDOR_SPECIFIC="
        return text.split(whereSeparator: \.isNewline).contains { line in
            line.hasPrefix(key) && isMetered(vendorOption: octets(line.dropFirst(key.count), separator: nil))
        }
    }

    /// Whether the newest lease for `interface` in a file of ISC dhclient says so; one that has run out says nothing.
    ///
    /// - Parameter now: seconds since 1970.
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

    /// Whether a lease of dhcpcd says so: the server's answer as it came over the network; one that has run out says
    /// nothing.
    ///
    /// - Parameter age: seconds since it came.
    static func isMetered(dhcpcd bytes: [UInt8], age: Int64) -> Bool {
        let (headLength, cookie): (Int, [UInt8]) = (236, [99, 130, 83, 99])
        guard bytes.count > headLength + cookie.count, Array(bytes[headLength..<(headLength + 4)]) == cookie else {
            return false
        }
        var rest = bytes[(headLength + cookie.count)...]
        var isMetered = false
        while let code = rest.popFirst() {
            if code == 0 { continue }  // fills up
            if code == 255 { break }
            guard let length = rest.popFirst(), rest.count >= Int(length) else { return false }
            let value = rest.prefix(Int(length))
            if code == 43 { isMetered = isMetered || self.isMetered(vendorOption: value) }
            // The time that the lease is good for, in seconds.
            if code == 51, value.reduce(0, { $0 << 8 | Int64($1) }) <= age { return false }
            rest = rest.dropFirst(Int(length))
        }
        return isMetered
    }

    /// One lease of dhclient.
    private struct Lease {
        var interface: String?
        var isMetered = false
        /// Seconds since 1970; nil for never.
        var expiry: Int64?

        /// Reads a line within the braces.
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

        /// `never`, `epoch 1700000000`, or `5 2026/01/30 12:00:00` in UTC, with the day of the week first.
        private static func time(_ first: String, _ rest: String) -> Int64? {
            let parts = rest.split { "/: ".contains($0) }.map { Int64($0) }
            if first == "epoch" { return parts.first ?? nil }
            guard parts.count >= 6, let year = parts[0], let month = parts[1], let day = parts[2],
                let hour = parts[3], let minute = parts[4], let second = parts[5]
            else { return nil }
            return daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        }

        /// The days of the Gregorian calendar, counted in years that begin in March.
        private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
            let year = month <= 2 ? year - 1 : year
            let monthFromMarch = (month + 9) % 12
            return year * 365 + year / 4 - year / 100 + year / 400 + (monthFromMarch * 306 + 5) / 10 + day - 719_469
        }
    }

    /// The bytes of hexadecimal text: two digits each, or as many as there are between separators.
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
