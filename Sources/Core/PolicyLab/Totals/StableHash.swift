// SPDX-License-Identifier: Apache-2.0

/// A hash of a device's name that is the same in every run, on every machine, and in every order of devices.
///
/// ```swift
/// let part = StableHash("phone").part(of: 8)  // 1…8
/// ```
package struct StableHash: Hashable, Sendable {
    package let value: UInt64

    /// Hashes a name: FNV-1a (Fowler, Noll, Vo), and the last step of SplitMix64 (Steele, Lea, Flood, 2014), without
    /// which similar names would have similar hashes.
    package init(_ name: some Sequence<UInt8>) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        value = hash ^ (hash >> 31)
    }

    /// Hashes a name.
    package init(_ name: String) { self.init(name.utf8) }

    /// Returns the part that the device belongs to, from 1 to `count`.
    package func part(of count: Int) -> Int { Int(value % UInt64(count)) + 1 }
}

/// A set of devices by their number and a digest of their names, whatever their order.
package struct DeviceSet: Hashable, Sendable, Codable {
    package private(set) var count = 0
    /// The sum of the hashes of all names. A device that is missing or counted twice changes it.
    package private(set) var digest: UInt64 = 0

    package init() {}

    package mutating func insert(_ device: StableHash) {
        count += 1
        digest &+= device.value
    }

    mutating func merge(_ other: DeviceSet) {
        count += other.count
        digest &+= other.digest
    }
}
