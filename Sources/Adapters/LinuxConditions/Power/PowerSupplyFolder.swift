// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The kernel's class power_supply in sysfs.
struct PowerSupplyFolder: Sendable {
    private let path: String

    /// Creates a reader of the class under a sysfs mount point.
    init(sysfsRoot: String) { path = sysfsRoot + "/class/power_supply" }

    /// Returns all supplies, by name; `nil` if the class does not exist or cannot be read.
    func read() -> [PowerSupplyFiles]? {
        SmallFile.names(in: path)?.map { name in
            PowerSupplyFiles(name: name, portRoles: portRoles(of: name)) { SmallFile.content("\(path)/\(name)/\($0)") }
        }
    }

    private func portRoles(of name: String) -> [String] {
        let ports = "\(path)/\(name)/device/typec"
        let names = SmallFile.names(in: ports) ?? []
        return names.compactMap { SmallFile.text("\(ports)/\($0)/power_role") }
    }
}

/// The contents of the files of one power supply.
struct PowerSupplyFiles: Hashable, Sendable, Codable {
    /// The names of the files that are read.
    static let names = [
        "type", "online", "status", "scope", "capacity", "present", "energy_now", "energy_full", "charge_now",
        "charge_full", "voltage_min_design", "voltage_now",
    ]

    var name: String
    /// The trimmed text of each file that could be read.
    var texts: [String: String] = [:]
    /// The system's error number for each file that exists but could not be read.
    var failures: [String: Int32] = [:]
    /// The power roles of the USB-C ports that belong to the supply.
    var portRoles: [String] = []

    init(name: String, portRoles: [String] = [], content: (_ file: String) -> SmallFile.Content) {
        self.name = name
        self.portRoles = portRoles
        for file in Self.names {
            switch content(file) {
            case .text(let text): texts[file] = text
            case .failed(ENOENT): break
            case .failed(let code): failures[file] = code
            }
        }
    }
}

extension PowerSupply {
    /// Decodes the files of a supply; `nil` if the supply was removed while its files were read.
    ///
    /// A file that cannot be read for another reason counts as missing. The hardware may not respond for a moment, and
    /// the kernel announces its recovery.
    init?(of files: PowerSupplyFiles) {
        let isGone = files.failures.values.contains { $0 == ENODEV || $0 == ENXIO }
        func text(_ file: String) -> String? { files.texts[file] }
        self.init(
            name: files.name, type: text("type"), online: text("online"), status: text("status"), scope: text("scope"),
            capacity: text("capacity"), present: text("present"),
            content: Content(
                energyNow: text("energy_now"), energyFull: text("energy_full"), chargeNow: text("charge_now"),
                chargeFull: text("charge_full"), voltage: text("voltage_min_design") ?? text("voltage_now")),
            portRoles: files.portRoles)
        if isGone { return nil }
    }
}
