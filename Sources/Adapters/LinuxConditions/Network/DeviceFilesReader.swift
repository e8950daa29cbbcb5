// SPDX-License-Identifier: Apache-2.0

/// Reads the sysfs files of network devices.
struct DeviceFilesReader: Sendable {
    private let path: String

    /// Creates a reader of the class `net` under a sysfs mount point.
    init(sysfsRoot: String) { path = sysfsRoot + "/class/net" }

    /// Returns the device files of an interface; `nil` if sysfs does not show the interface.
    ///
    /// A sysfs mounted for another network namespace may show a different interface of the same name, so the index
    /// must match.
    func read(name: String, index: Int32) -> LinkDescription.DeviceFiles? {
        let folder = "\(path)/\(name)"
        guard let text = SmallFile.text("\(folder)/ifindex"), Int32(text) == index else { return nil }
        return LinkDescription.DeviceFiles(
            deviceType: SmallFile.text("\(folder)/uevent").flatMap(Self.deviceType),
            isWireless: SmallFile.exists("\(folder)/wireless") || SmallFile.exists("\(folder)/phy80211"),
            driver: SmallFile.linkTarget("\(folder)/device/driver"))
    }

    /// Returns the value of the `DEVTYPE` line of a uevent file.
    static func deviceType(inEvent text: String) -> String? {
        let key = "DEVTYPE="
        return text.split(separator: "\n").first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
    }
}
