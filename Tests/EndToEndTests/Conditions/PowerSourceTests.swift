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
