// SPDX-License-Identifier: Apache-2.0

/// The kernel's power_supply class in sysfs.
struct PowerSupplyFolder: Sendable {
    private let path: String

    /// The class below a mounted sysfs.
    init(sysfsRoot: String) { path = sysfsRoot + "/class/power_supply" }

    /// All supplies, by name; nil where the kernel has no such class or it cannot be read.
    func read() -> [PowerSupply]? {
        SmallFile.names(in: path)?.map { name in
            func text(_ file: String) -> String? { SmallFile.text("\(path)/\(name)/\(file)") }
            return PowerSupply(
                name: name, type: text("type"), online: text("online"), status: text("status"), scope: text("scope"),
                capacity: text("capacity"), present: text("present"))
        }
    }
}
