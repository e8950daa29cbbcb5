// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The kernel's power_supply class in sysfs.
struct PowerSupplyFolder: Sendable {
    private let path: String

    /// The class below a mounted sysfs.
    init(sysfsRoot: String) { path = sysfsRoot + "/class/power_supply" }

    /// All supplies, by name; nil where the kernel has no such class or it cannot be read.
    func read() -> [PowerSupply]? {
        SmallFile.names(in: path)?.compactMap { name in
            PowerSupply(name: name, portRoles: portRoles(of: name)) { SmallFile.content("\(path)/\(name)/\($0)") }
        }
    }

    private func portRoles(of name: String) -> [String] {
        let ports = "\(path)/\(name)/device/typec"
        let names = SmallFile.names(in: ports) ?? []
        return names.compactMap { SmallFile.text("\(ports)/\($0)/power_role") }
    }
}

extension PowerSupply {
    /// The supply whose files say that; nil where it was taken away while they were read.
    ///
    /// A file that cannot be read for another reason counts as missing: the hardware may not answer for a moment, and
    /// the kernel announces it when that is over.
    init?(name: String, portRoles: [String] = [], content: (_ file: String) -> SmallFile.Content) {
        var isGone = false
        func text(_ file: String) -> String? {
            switch content(file) {
            case .text(let text): return text
            case .failed(let code):
                if code == ENODEV || code == ENXIO { isGone = true }
                return nil
            }
        }
        self.init(
            name: name, type: text("type"), online: text("online"), status: text("status"), scope: text("scope"),
            capacity: text("capacity"), present: text("present"),
            content: Content(
                energyNow: text("energy_now"), energyFull: text("energy_full"), chargeNow: text("charge_now"),
                chargeFull: text("charge_full"), voltage: text("voltage_min_design") ?? text("voltage_now")),
            portRoles: portRoles)
        if isGone { return nil }
    }
}
