// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Summary of power supplies")
struct PowerSupplyTests {
    private func mains(_ online: String?, type: String = "Mains", scope: String? = nil) -> PowerSupply {
        PowerSupply(name: "AC", type: type, online: online, scope: scope)
    }

    private func battery(
        _ status: String?, type: String = "Battery", scope: String? = nil, capacity: String? = nil,
        present: String? = nil
    ) -> PowerSupply {
        PowerSupply(name: "BAT", type: type, status: status, scope: scope, capacity: capacity, present: present)
    }

    private func source(_ supplies: PowerSupply...) -> PowerSource? { PowerSupplySummary(of: supplies).source }

    @Test("An online plug means AC, regardless of the battery")
    func online() {
        #expect(source(mains("1"), battery("Discharging")) == .ac)
        #expect(source(mains("2")) == .ac)
        #expect(source(mains("1", type: "USB_PD"), mains("0"), battery("Charging")) == .ac)
    }

    @Test("A discharging battery or UPS without an online plug means battery")
    func discharging() {
        #expect(source(mains("0"), battery("Discharging")) == .battery)
        #expect(source(battery("Discharging")) == .battery)
        #expect(source(battery("Discharging", type: "UPS")) == .battery)
        #expect(source(battery("Full"), battery("Discharging")) == .battery)
    }

    @Test("Batteries of peripherals do not power the machine")
    func deviceScope() {
        #expect(source(battery("Discharging", scope: "Device")) == nil)
        #expect(PowerSupplySummary(of: [battery("Discharging", scope: "Device")]).battery == nil)
        #expect(source(mains("0"), battery("Discharging", scope: "Device")) == .ac)
    }

    @Test("An offline plug means battery, even if the battery does not report it yet")
    func unaware() {
        #expect(source(mains("0"), battery("Full")) == .battery)
        #expect(source(mains("0"), battery("Unknown")) == .battery)
    }

    @Test("A battery that is charged by an unlisted supply means AC")
    func chargedByUnlisted() {
        #expect(source(battery("Charging")) == .ac)
        #expect(source(mains("0"), battery("Charging")) == .ac)
        #expect(source(battery("Full")) == .ac)
        #expect(source(battery("Not charging")) == .ac)
    }

    @Test("An empty list has no source, and a battery of unknown state is unknown")
    func nothing() {
        #expect(source() == nil)
        #expect(source(mains(nil)) == nil)
        #expect(source(battery("Unknown")) == .unknown)
        #expect(source(battery(nil)) == .unknown)
    }

    @Test("An empty slot is not a battery")
    func emptySlot() {
        #expect(source(mains("0"), battery("Discharging", present: "0")) == .ac)
        #expect(PowerSupplySummary(of: [battery("Discharging", present: "0")]).battery == nil)
    }

    @Test("Several batteries are combined")
    func together() {
        let summary = PowerSupplySummary(of: [
            battery("Full", capacity: "100"), battery("Discharging", capacity: "21"), battery("Unknown", capacity: "x"),
        ])
        #expect(summary.battery == BatteryState(level: 61, charging: .discharging))
        #expect(PowerSupplySummary(of: [battery("Full"), battery("Full")]).battery?.charging == .full)
        #expect(PowerSupplySummary(of: [battery("Full", capacity: "107")]).battery?.level == 100)
    }

    private func level(_ batteries: [String: String]...) -> Int? {
        let supplies = batteries.enumerated().compactMap { index, files in
            PowerSupply(
                of: PowerSupplyFiles(name: "BAT\(index)") { file in
                    file == "type" ? .text("Battery") : files[file].map { .text($0) } ?? .failed(ENOENT)
                })
        }
        return PowerSupplySummary(of: supplies).battery?.level
    }

    @Test("Batteries are weighted by capacity, in energy, in charge, or both")
    func weighted() {
        let large = ["energy_now": "72000000", "energy_full": "72000000", "capacity": "100"]
        let small = ["energy_now": "0", "energy_full": "24000000", "capacity": "0"]
        #expect(level(large, small) == 75)
        let charge = ["charge_now": "1000000", "charge_full": "2000000"]
        #expect(level(charge) == 50)
        #expect(level(charge, ["charge_now": "6000000", "charge_full": "6000000"]) == 88)
        // 2 Ah at 12 V equal 24 Wh.
        #expect(level(small, charge.merging(["voltage_min_design": "12000000"]) { $1 }) == 25)
        // If one battery reports no size, all batteries count equally.
        #expect(level(large, ["capacity": "50"]) == 75)
        #expect(level(["energy_now": "7", "energy_full": "0"]) == nil)
        #expect(level(["energy_now": "30", "energy_full": "40"]) == 75)
        // Sizes whose sum is no number give no level.
        let vast = ["charge_now": "1e308", "charge_full": "1e308", "voltage_min_design": "1e308"]
        #expect(level(vast, vast) == nil)
    }

    @Test("If one battery charges and another discharges, the plug decides")
    func chargingAndDraining() {
        #expect(
            PowerSupplySummary(of: [battery("Charging"), battery("Discharging")]).battery?.charging == .discharging)
        #expect(source(battery("Charging"), battery("Discharging")) == .battery)
        let plugged = PowerSupplySummary(of: [mains("1"), battery("Charging"), battery("Discharging")])
        #expect(plugged == PowerSupplySummary(of: [mains("1"), battery("Discharging"), battery("Charging")]))
        #expect(plugged.battery?.charging == .charging)
        #expect(plugged.source == .ac)
    }

    @Test("A weak charger means AC, with a discharging battery")
    func weakCharger() {
        let summary = PowerSupplySummary(of: [mains("1", type: "USB"), battery("Discharging", capacity: "40")])
        #expect(summary.source == .ac)
        #expect(summary.battery == BatteryState(level: 40, charging: .discharging))
    }

    @Test("A discharging UPS means battery, regardless of plugs")
    func ups() {
        #expect(source(mains("1"), battery("Discharging", type: "UPS", scope: "System")) == .battery)
        #expect(source(mains("1"), battery("Charging", type: "UPS", scope: "System")) == .ac)
    }

    @Test(
        "All types of plugs count, except USB-C ports that power another device",
        arguments: ["Mains", "USB", "USB_C", "USB_PD", "USB_PD_DRP", "BrickID", "Wireless"])
    func plugs(type: String) {
        #expect(source(mains("1", type: type), battery("Unknown")) == .ac)
        #expect(source(mains("0", type: type), battery("Unknown")) == .battery)
        guard type.hasPrefix("USB") else { return }
        var port = mains("1", type: type)
        port.portRoles = ["[source] sink"]
        #expect(source(port, battery("Discharging")) == .battery)
        port.portRoles.append("source [sink]")
        #expect(source(port, battery("Discharging")) == .ac)
    }

    @Test("A supply that is removed while being read is ignored; one that does not respond is unknown")
    func failing() {
        func supply(_ failure: Int32) -> PowerSupply? {
            PowerSupply(
                of: PowerSupplyFiles(name: "BAT0") {
                    $0 == "type" ? .text("Battery") : .failed($0 == "scope" ? ENOENT : failure)
                })
        }
        #expect(supply(ENODEV) == nil)
        #expect(supply(ENXIO) == nil)
        #expect(supply(EIO) == PowerSupply(name: "BAT0", type: "Battery"))
        #expect(supply(EIO).map { PowerSupplySummary(of: [$0]) }?.source == .unknown)
    }
}
