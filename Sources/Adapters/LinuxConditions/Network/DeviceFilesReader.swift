// SPDX-License-Identifier: Apache-2.0

/// Reads what sysfs tells about network devices.
struct DeviceFilesReader: Sendable {
    private let path: String

    /// The class below a mounted sysfs.
    init(sysfsRoot: String) { path = sysfsRoot + "/class/net" }

    /// What is told about an interface; nil where sysfs does not show it.
    ///
    /// A sysfs mounted for another network namespace may hold another interface of the same name: the index decides.
    func read(name: String, index: Int32) -> LinkDescription.DeviceFiles? {
        let folder = "\(path)/\(name)"
        guard let text = SmallFile.text("\(folder)/ifindex"), Int32(text) == index else { return nil }
        return LinkDescription.DeviceFiles(
            deviceType: SmallFile.text("\(folder)/uevent").flatMap(Self.deviceType),
            isWireless: SmallFile.exists("\(folder)/wireless") || SmallFile.exists("\(folder)/phy80211"),
            driver: SmallFile.linkTarget("\(folder)/device/driver"))
    }

    /// The `DEVTYPE` line of a uevent file.
    static func deviceType(inEvent text: String) -> String? {
        let key = "DEVTYPE="
        return text.split(separator: "\n").first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
    }
}
