// SPDX-License-Identifier: Apache-2.0

/// One network interface as the kernel describes it.
struct LinkDescription: Hashable, Sendable, Codable {
    /// What sysfs adds about a device.
    struct DeviceFiles: Hashable, Sendable, Codable {
        /// The device type that its uevent names, such as wlan, wwan or bluetooth.
        var deviceType: String?
        /// Whether it has a `wireless` or `phy80211` entry.
        var isWireless = false
        /// The kernel driver's name.
        var driver: String?
    }

    var index: Int32
    var name: String
    /// Its state bits (`IFF_…`).
    var flags: UInt32 = 0
    /// The operational state of RFC 2863; 0 is unknown, 6 is up.
    var operationalState: UInt8 = 0
    /// What the link layer is (`ARPHRD_…`).
    var hardwareType: UInt32 = 1
    /// The kind of virtual link, such as `bridge`; nil for a device.
    var kind: String?
    /// The index of the bridge or bond it belongs to; 0 for none.
    var master: Int32 = 0
    /// The index of the link below it; 0 for none, and for one in another network namespace, whose indices are not ours.
    ///
    /// For a veth that is its peer.
    var lower: Int32 = 0
    /// How often its carrier has come and gone; nil where the kernel does not count that.
    var carrierChanges: UInt32?
    /// Whether nl80211 knows it as a wireless interface; false also where nobody could be asked.
    var isWireless = false
    /// Nil where sysfs does not show this interface.
    var files: DeviceFiles?

    /// Leads back to this machine.
    var isLoopback: Bool { flags & 0x8 != 0 }

    /// Up, with a carrier.
    ///
    /// A default route stays when the cable goes, so routes alone do not tell.
    var canCarry: Bool {
        let (up, running): (UInt32, UInt32) = (0x1, 0x40)
        return flags & up != 0 && flags & running != 0 && !isLoopback
            && (operationalState == 0 || operationalState == 6)
    }
}
