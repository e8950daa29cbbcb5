// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import ProcessFixtures
import Testing

@Suite(
    "Power, read from a real upowerd",
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
struct PowerSourceTests {
    /// Runs `body` with a bus, a fixture, and a probe. All three are ended in order, even after a failure.
    private func withProbe(
        withSupplies: Bool = true, hearsKernel: Bool = false, startsDaemon: Bool = true,
        _ body: (PowerFixture, PrivateBus, ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let fixture = try await PowerFixture(bus: bus, withSupplies: withSupplies)
        if startsDaemon { try await fixture.spawn() }
        let environment = bus.environment.merging(hearsKernel ? fixture.kernelEnvironment : [:]) { $1 }
        let probe = try ConditionsProbe(
            ["--without", "netlink", "--without", "networkManager"]
                + (hearsKernel ? [] : ["--sysfs", fixture.sysfsRoot]), environment: environment)
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture, bus, probe)) } catch { result = .failure(error) }
        await probe.end()
        await fixture.end()
        await bus.end()
        try result.get()
    }

    @Test("Twenty plug changes are all reported by UPower")
    func flips() async throws {
        try await withProbe { fixture, _, probe in
            try await probe.line("power=ac/upower/reported/settled", "battery=80,charging,none")
            for turn in 0..<20 {
                let isOnline = turn % 2 == 1
                try await fixture.setAC(isOnline)
                try await probe.line("power=\(isOnline ? "ac" : "battery")/upower/reported/changed", "disagreements=0")
            }
            #expect(!probe.lines.contains { $0.text.contains("disagreements=1") })
        }
    }

    @Test("The battery's level and warning are reported")
    func level() async throws {
        try await withProbe { fixture, _, probe in
            try await fixture.setAC(false)
            try await probe.line("power=battery")
            try await fixture.setLevel(3)
            try await probe.line("battery=3,discharging,critical/upower")
        }
    }

    @Test("After upowerd is killed, the kernel's state counts until upowerd returns")
    func killAndRestart() async throws {
        try await withProbe { fixture, _, probe in
            try await fixture.setAC(false)
            try await probe.line("power=battery/upower/reported")
            try await fixture.kill()
            try await probe.line("power=battery/sysfs/reported")
            try await fixture.setACSilently(true)
            try await fixture.spawn()
            try await probe.line("power=ac/upower/reported/changed")
        }
    }

    @Test("A daemon that starts late is detected")
    func lateStart() async throws {
        try await withProbe(startsDaemon: false) { fixture, _, probe in
            try await probe.line("power=ac/sysfs/reported/settled")
            try await fixture.spawn()
            try await probe.line("power=ac/upower/reported/settled")
        }
    }

    @Test("A hanging upowerd is detected when the plug is pulled, and followed again after it recovers")
    func hang() async throws {
        try await withProbe(hearsKernel: true) { fixture, _, probe in
            try await probe.line("power=ac/upower/reported/settled")
            try await fixture.hang()
            try await fixture.setAC(false)
            // UPower still reports "AC". The more expensive report counts until UPower counts as silent.
            try await probe.line("power=battery/sysfs/guessed", "disagreements=1")
            try await probe.line("power=battery/sysfs/guessed", "disagreements=0")
            try await fixture.resume()
            try await probe.line("power=battery/upower/reported", "disagreements=0")
        }
    }

    @Test("No upowerd takes the place of the probe among the listeners to the fake kernel")
    func listeners() async throws {
        try await withProbe(hearsKernel: true, startsDaemon: false) { fixture, _, probe in
            try await probe.line("power=ac/sysfs/reported")
            let own = try fixture.listeners()
            #expect(own.count == 1)
            try await fixture.spawn()
            try await probe.line("power=ac/upower/reported")
            let added = try fixture.listeners().subtracting(own)
            // A process takes the descriptor that is free at the moment, so different numbers alone would be luck.
            #expect(added.count == 2 && added.allSatisfy { $0 >= 64 } && own.allSatisfy { $0 < 64 })
        }
    }

    @Test("A upowerd that hangs from the start does not delay the first snapshot")
    func hangAtStart() async throws {
        let bus = try await PrivateBus()
        let fixture = try await PowerFixture(bus: bus)
        try await fixture.spawn()
        // UPower owns its name once a first probe has received a reading.
        let first = try ConditionsProbe(["--sysfs", fixture.sysfsRoot], environment: bus.environment)
        try await first.line("power=ac/upower")
        await first.end()
        try await fixture.hang()
        let start = LineBuffer.now()
        let probe = try ConditionsProbe(
            ["--sysfs", fixture.sysfsRoot, "--without", "netlink", "--without", "networkManager"],
            environment: bus.environment)
        let line = try await probe.line("power=ac/sysfs/guessed/settled")
        // Calls of libupower would block for 25 s. The source's calls end after 2 s, plus the delay of a loaded
        // machine.
        #expect(line.time - start < 15_000_000_000)
        try await fixture.resume()
        try await probe.line("power=ac/upower/reported")
        await probe.end()
        await fixture.end()
        await bus.end()
    }

    @Test("If the service dies and sysfs lists no supplies, the power source is unknown, not AC")
    func deathWithoutSysfs() async throws {
        let bus = try await PrivateBus()
        let fixture = try await PowerFixture(bus: bus)
        try await fixture.spawn()
        let probe = try ConditionsProbe(
            ["--sysfs", "/nonexistent", "--without", "netlink", "--without", "networkManager"],
            environment: bus.environment)
        try await probe.line("power=ac/upower/reported", "disagreements=0")
        try await fixture.kill()
        try await probe.line("power=unknown/none/assumed/changed")
        await probe.end()
        await fixture.end()
        await bus.end()
    }

    @Test("A machine without power supplies is on AC; without UPower, this is a guess")
    func noBattery() async throws {
        try await withProbe(withSupplies: false, startsDaemon: false) { fixture, _, probe in
            try await probe.line("power=ac/rule/guessed/settled", "battery=none,unknown,unknown")
            try await fixture.spawn()
            try await probe.line("power=ac/upower/reported/settled")
        }
    }

    @Test("Power is followed across a restart of the bus")
    func busRestart() async throws {
        try await withProbe { fixture, bus, probe in
            try await probe.line("power=ac/upower/reported")
            await bus.stop()
            try await probe.line("power=ac/sysfs/reported")
            // upowerd ends together with its bus.
            try await bus.start()
            try await fixture.spawn()
            try await probe.line("power=ac/upower/reported")
            try await fixture.setAC(false)
            try await probe.line("power=battery/upower/reported")
        }
    }

    @Test("Without a bus, the kernel's state is sufficient")
    func noBus() async throws {
        let bus = try await PrivateBus()
        let fixture = try await PowerFixture(bus: bus)
        let probe = try ConditionsProbe(
            ["--without", "netlink", "--without", "networkManager"],
            environment: fixture.kernelEnvironment.merging(["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]) {
                $1
            }
        )
        try await probe.line("power=ac/sysfs/reported/settled")
        try await fixture.setAC(false)
        try await probe.line("power=battery/sysfs/reported/changed")
        await probe.end()
        await fixture.end()
        await bus.end()
    }
}
