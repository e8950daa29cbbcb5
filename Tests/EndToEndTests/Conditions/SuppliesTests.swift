// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import ProcessFixtures
import Testing

@Suite(
    "Unusual power supplies, from a real upowerd and from sysfs",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
struct SuppliesTests {
    /// Runs `body` with two probes of the same machine: one reads UPower, the other only the kernel.
    private func withProbes(
        withSupplies: Bool = true, _ prepare: (PowerFixture) async throws -> Void,
        _ body: (PowerFixture, _ upower: ConditionsProbe, _ kernel: ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let fixture = try await PowerFixture(bus: bus, withSupplies: withSupplies)
        let result: Result<Void, any Error>
        do {
            try await prepare(fixture)
            try await fixture.spawn()
            let others = ["netlink", "networkManager", "powerProfiles", "logind"].flatMap { ["--without", $0] }
            let upower = try ConditionsProbe(others + ["--sysfs", fixture.sysfsRoot], environment: bus.environment)
            let kernel = try ConditionsProbe(
                others + ["--without", "upower"], environment: bus.environment.merging(fixture.kernelEnvironment) { $1 }
            )
            do { result = .success(try await body(fixture, upower, kernel)) } catch { result = .failure(error) }
            await upower.end()
            await kernel.end()
        } catch { result = .failure(error) }
        await fixture.end()
        await bus.end()
        try result.get()
    }

    private let full = [
        "type": "Battery", "present": "1", "status": "Full", "energy_full": "20000000", "energy_now": "20000000",
        "energy_full_design": "20000000", "voltage_now": "12000000", "power_now": "0", "capacity": "100",
        "scope": "System",
    ]

    @Test("Two batteries are weighted by capacity; one that drains beside a full one means battery power")
    func twoBatteries() async throws {
        try await withProbes {
            // The first battery holds 48 of 60 Wh, and the second is full with 20 Wh.
            try await $0.add("BAT1", full)
        } _: { fixture, upower, kernel in
            try await upower.line("power=ac/upower", "battery=85,charging,none/upower", "disagreements=0")
            try await kernel.line("power=ac/sysfs", "battery=85,charging,unknown/sysfs")
            try await fixture.setAC(false)
            try await upower.line("power=battery/upower", "battery=85,discharging,none/upower", "disagreements=0")
            try await kernel.line("power=battery/sysfs", "battery=85,discharging,unknown/sysfs")
        }
    }

    @Test("Batteries of peripherals are ignored")
    func peripherals() async throws {
        try await withProbes(withSupplies: false) {
            let mouse = [
                "type": "Battery", "scope": "Device", "present": "1", "status": "Discharging", "capacity": "9",
                "model_name": "Mouse",
            ]
            try await $0.add("hidpp_battery_0", mouse)
        } _: { fixture, upower, kernel in
            try await upower.line("power=ac/upower", "battery=none,unknown,unknown/upower", "disagreements=0")
            try await kernel.line("power=ac/sysfs/guessed", "battery=none,unknown,unknown/sysfs")
        }
    }

    @Test("With a weak charger, the machine is on AC and the battery drains")
    func weakCharger() async throws {
        try await withProbes { _ in
        } _: { fixture, upower, kernel in
            try await upower.line("power=ac/upower", "battery=80,charging,none/upower", "drains=false")
            try await fixture.set("BAT0", ["status": "Discharging"])
            try await upower.line("power=ac/upower", "battery=80,discharging,none/upower", "drains=true")
            try await kernel.line("power=ac/sysfs", "battery=80,discharging,unknown/sysfs", "drains=true")
            #expect(!(upower.lines + kernel.lines).contains { $0.text.contains("disagreements=1") })
        }
    }

    @Test("A USB-C charger counts only while it supplies power")
    func usbCharger() async throws {
        try await withProbes {
            try await $0.setACSilently(false)
            try await $0.add(
                "ucsi-source-psy-USBC000:001", ["type": "USB", "online": "0", "usb_type": "[C] PD PD_PPS"])
        } _: { fixture, upower, kernel in
            try await upower.line("power=battery/upower", "disagreements=0")
            try await kernel.line("power=battery/sysfs")
            try await fixture.set("BAT0", ["status": "Charging"])
            try await fixture.set("ucsi-source-psy-USBC000:001", ["online": "1"])
            try await upower.line("power=ac/upower", "disagreements=0")
            try await kernel.line("power=ac/sysfs")
        }
    }

    @Test("A UPS listed by the kernel counts as a battery")
    func ups() async throws {
        try await withProbes(withSupplies: false) {
            var ups = full
            ups["type"] = "UPS"
            try await $0.add("ups0", ups)
        } _: { fixture, _, kernel in
            try await kernel.line("power=ac/sysfs", "battery=100,full,unknown/sysfs")
            try await fixture.set("ups0", ["status": "Discharging", "capacity": "60"])
            try await kernel.line("power=battery/sysfs", "battery=60,discharging,unknown/sysfs")
        }
    }
}
