// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy

@testable import LinuxConditions

@Suite("What a list of supplies comes to")
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

    @Test("A plug that gives power is AC, whatever the battery does")
    func online() {
        #expect(source(mains("1"), battery("Discharging")) == .ac)
        #expect(source(mains("2")) == .ac)
        #expect(source(mains("1", type: "USB_PD"), mains("0"), battery("Charging")) == .ac)
    }

    @Test("A draining battery with no plug that gives power is battery, a UPS as well")
    func discharging() {
        #expect(source(mains("0"), battery("Discharging")) == .battery)
        #expect(source(battery("Discharging")) == .battery)
        #expect(source(battery("Discharging", type: "UPS")) == .battery)
        #expect(source(battery("Full"), battery("Discharging")) == .battery)
    }

    @Test("Batteries of mice and headsets do not power the machine")
    func deviceScope() {
        #expect(source(battery("Discharging", scope: "Device")) == nil)
        #expect(PowerSupplySummary(of: [battery("Discharging", scope: "Device")]).battery == nil)
        #expect(source(mains("0"), battery("Discharging", scope: "Device")) == .ac)
    }

    @Test("Unplugged a moment ago, with a battery not yet aware of it, is battery")
    func unaware() {
        #expect(source(mains("0"), battery("Full")) == .battery)
        #expect(source(mains("0"), battery("Unknown")) == .battery)
    }

    @Test("A battery that is charged by something not listed is AC")
    func chargedByUnlisted() {
        #expect(source(battery("Charging")) == .ac)
        #expect(source(mains("0"), battery("Charging")) == .ac)
        #expect(source(battery("Full")) == .ac)
        #expect(source(battery("Not charging")) == .ac)
    }

    @Test("Nothing listed tells nothing; a battery of unknown state alone is unknown")
    func nothing() {
        #expect(source() == nil)
        #expect(source(mains(nil)) == nil)
        #expect(source(battery("Unknown")) == .unknown)
        #expect(source(battery(nil)) == .unknown)
    }

    @Test("A slot without a battery is no battery")
    func emptySlot() {
        #expect(source(mains("0"), battery("Discharging", present: "0")) == .ac)
        #expect(PowerSupplySummary(of: [battery("Discharging", present: "0")]).battery == nil)
    }

    @Test("Two batteries are taken together")
    func together() {
        let summary = PowerSupplySummary(of: [
            battery("Full", capacity: "100"), battery("Discharging", capacity: "21"), battery("Unknown", capacity: "x"),
        ])
        #expect(summary.battery == BatteryState(level: 60, charging: .discharging))
        #expect(PowerSupplySummary(of: [battery("Full"), battery("Full")]).battery?.charging == .full)
        #expect(PowerSupplySummary(of: [battery("Full", capacity: "107")]).battery?.level == 100)
    }
}
