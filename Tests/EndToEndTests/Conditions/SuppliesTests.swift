// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Testing

@Suite(
    "Odd supplies, read by a real upowerd and from sysfs", .serialized,
    .enabled(if: PowerRig.unavailabilityReason == nil, "\(PowerRig.unavailabilityReason ?? "")"))
struct SuppliesTests {
    /// Runs `body` with two probes of the same machine: one reads UPower, the other only the kernel.
    private func withProbes(
        withSupplies: Bool = true, _ prepare: (PowerRig) async throws -> Void,
        _ body: (PowerRig, _ upower: ConditionsProbe, _ kernel: ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let rig = try await PowerRig(bus: bus, withSupplies: withSupplies)
        let result: Result<Void, any Error>
        do {
            try await prepare(rig)
            try await rig.spawn()
            let others = ["netlink", "networkManager", "powerProfiles", "logind"].flatMap { ["--without", $0] }
            let upower = try ConditionsProbe(others + ["--sysfs", rig.sysfsRoot], environment: bus.environment)
            let kernel = try ConditionsProbe(
                others + ["--without", "upower"], environment: bus.environment.merging(rig.kernelEnvironment) { $1 })
            do { result = .success(try await body(rig, upower, kernel)) } catch { result = .failure(error) }
            await upower.end()
            await kernel.end()
        } catch { result = .failure(error) }
        await rig.end()
        await bus.end()
        try result.get()
    }

    private let full = [
        "type": "Battery", "present": "1", "status": "Full", "energy_full": "20000000", "energy_now": "20000000",
        "energy_full_design": "20000000", "voltage_now": "12000000", "power_now": "0", "capacity": "100",
        "scope": "System",
    ]

    @Test("Two batteries count by what they can hold, and one that drains beside a full one is battery")
    func twoBatteries() async throws {
        try await withProbes {
            // The first battery holds 48 of 60 Wh, and the second is full with 20 Wh.
            try await $0.add("BAT1", full)
        } _: { rig, upower, kernel in
            try await upower.line("power=ac/upower", "battery=85,charging,none/upower", "disagreements=0")
            try await kernel.line("power=ac/sysfs", "battery=85,charging,unknown/sysfs")
            try await rig.setAC(false)
            try await upower.line("power=battery/upower", "battery=85,discharging,none/upower", "disagreements=0")
            try await kernel.line("power=battery/sysfs", "battery=85,discharging,unknown/sysfs")
        }
    }

    @Test("Batteries of a mouse and a headset are nobody's concern")
    func peripherals() async throws {
        try await withProbes(withSupplies: false) {
            let mouse = [
                "type": "Battery", "scope": "Device", "present": "1", "status": "Discharging", "capacity": "9",
                "model_name": "Mouse",
            ]
            try await $0.add("hidpp_battery_0", mouse)
        } _: { rig, upower, kernel in
            try await upower.line("power=ac/upower", "battery=none,unknown,unknown/upower", "disagreements=0")
            try await kernel.line("power=ac/sysfs/guessed", "battery=none,unknown,unknown/sysfs")
        }
    }

    @Test("A charger too weak is AC, with a battery that is seen to drain")
    func weakCharger() async throws {
        try await withProbes { _ in
        } _: { rig, upower, kernel in
            try await upower.line("power=ac/upower", "battery=80,charging,none/upower", "drains=false")
            try await rig.set("BAT0", ["status": "Discharging"])
            try await upower.line("power=ac/upower", "battery=80,discharging,none/upower", "drains=true")
            try await kernel.line("power=ac/sysfs", "battery=80,discharging,unknown/sysfs", "drains=true")
            #expect(!(upower.lines + kernel.lines).contains { $0.text.contains("disagreements=1") })
        }
    }

    @Test("A charger on USB-C counts by whether it gives power")
    func usbCharger() async throws {
        try await withProbes {
            try await $0.setACSilently(false)
            try await $0.add(
                "ucsi-source-psy-USBC000:001", ["type": "USB", "online": "0", "usb_type": "[C] PD PD_PPS"])
        } _: { rig, upower, kernel in
            try await upower.line("power=battery/upower", "disagreements=0")
            try await kernel.line("power=battery/sysfs")
            try await rig.set("BAT0", ["status": "Charging"])
            try await rig.set("ucsi-source-psy-USBC000:001", ["online": "1"])
            try await upower.line("power=ac/upower", "disagreements=0")
            try await kernel.line("power=ac/sysfs")
        }
    }

    @Test("A UPS that the kernel lists is a battery")
    func ups() async throws {
        try await withProbes(withSupplies: false) {
            var ups = full
            ups["type"] = "UPS"
            try await $0.add("ups0", ups)
        } _: { rig, _, kernel in
            try await kernel.line("power=ac/sysfs", "battery=100,full,unknown/sysfs")
            try await rig.set("ups0", ["status": "Discharging", "capacity": "60"])
            try await kernel.line("power=battery/sysfs", "battery=60,discharging,unknown/sysfs")
        }
    }
}
