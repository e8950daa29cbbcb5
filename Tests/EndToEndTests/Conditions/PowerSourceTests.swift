// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Testing

@Suite(
    "Power, read from a real upowerd", .serialized,
    .enabled(if: PowerRig.unavailabilityReason == nil, "\(PowerRig.unavailabilityReason ?? "")"))
struct PowerSourceTests {
    /// Runs `body` with a bus, a fixture and a probe. All three are taken down in order, whatever happens.
    private func withProbe(
        withSupplies: Bool = true, hearsKernel: Bool = false, startsDaemon: Bool = true,
        _ body: (PowerRig, PrivateBus, ConditionsProbe) async throws -> Void
    ) async throws {
        let bus = try await PrivateBus()
        let rig = try await PowerRig(bus: bus, withSupplies: withSupplies)
        if startsDaemon { try await rig.spawn() }
        let environment = bus.environment.merging(hearsKernel ? rig.kernelEnvironment : [:]) { $1 }
        let probe = try ConditionsProbe(
            ["--without", "netlink", "--without", "networkManager"]
                + (hearsKernel ? [] : ["--sysfs", rig.sysfsRoot]), environment: environment)
        let result: Result<Void, any Error>
        do { result = .success(try await body(rig, bus, probe)) } catch { result = .failure(error) }
        await probe.end()
        await rig.end()
        await bus.end()
        try result.get()
    }

    @Test("Twenty turns of the plug are all seen, as UPower's word")
    func flips() async throws {
        try await withProbe { rig, _, probe in
            try await probe.line("power=ac/upower/reported/settled", "battery=80,charging,none")
            for turn in 0..<20 {
                let isOnline = turn % 2 == 1
                try await rig.setAC(isOnline)
                try await probe.line("power=\(isOnline ? "ac" : "battery")/upower/reported/changed", "disagreements=0")
            }
            #expect(!probe.lines.contains { $0.text.contains("disagreements=1") })
        }
    }

    @Test("The battery's level and its warning are seen")
    func level() async throws {
        try await withProbe { rig, _, probe in
            try await rig.setAC(false)
            try await probe.line("power=battery")
            try await rig.setLevel(3)
            try await probe.line("battery=3,discharging,critical/upower")
        }
    }

    @Test("A killed upowerd leaves the kernel's word, and comes back")
    func killAndRestart() async throws {
        try await withProbe { rig, _, probe in
            try await rig.setAC(false)
            try await probe.line("power=battery/upower/reported")
            try await rig.kill()
            try await probe.line("power=battery/sysfs/reported")
            try await rig.setACSilently(true)
            try await rig.spawn()
            try await probe.line("power=ac/upower/reported/changed")
        }
    }

    @Test("A daemon that starts late is heard")
    func lateStart() async throws {
        try await withProbe(startsDaemon: false) { rig, _, probe in
            try await probe.line("power=ac/sysfs/reported/settled")
            try await rig.spawn()
            try await probe.line("power=ac/upower/reported/settled")
        }
    }

    @Test("A hanging upowerd is found out when the plug is pulled, and heard again when it comes round")
    func hang() async throws {
        try await withProbe(hearsKernel: true) { rig, _, probe in
            try await probe.line("power=ac/upower/reported/settled")
            try await rig.hang()
            try await rig.setAC(false)
            // UPower still reports "AC". The more expensive report counts until UPower counts as silent.
            try await probe.line("power=battery/sysfs/guessed", "disagreements=1")
            try await probe.line("power=battery/sysfs/guessed", "disagreements=0")
            try await rig.resume()
            try await probe.line("power=battery/upower/reported", "disagreements=0")
        }
    }

    @Test("A upowerd that hangs from the start does not hold up the first snapshot")
    func hangAtStart() async throws {
        let bus = try await PrivateBus()
        let rig = try await PowerRig(bus: bus)
        try await rig.spawn()
        // UPower owns its name once a first probe has received a reading.
        let first = try ConditionsProbe(["--sysfs", rig.sysfsRoot], environment: bus.environment)
        try await first.line("power=ac/upower")
        await first.end()
        try await rig.hang()
        let start = LineBuffer.now()
        let probe = try ConditionsProbe(
            ["--sysfs", rig.sysfsRoot, "--without", "netlink", "--without", "networkManager"],
            environment: bus.environment)
        let line = try await probe.line("power=ac/sysfs/guessed/settled")
        // Calls of libupower would block for 25 s. The source's calls end after 2 s, plus the delay of a loaded
        // machine.
        #expect(line.time - start < 15_000_000_000)
        try await rig.resume()
        try await probe.line("power=ac/upower/reported")
        await probe.end()
        await rig.end()
        await bus.end()
    }

    @Test("A service that dies on a laptop whose sysfs lists nothing leaves unknown, not AC")
    func deathWithoutSysfs() async throws {
        let bus = try await PrivateBus()
        let rig = try await PowerRig(bus: bus)
        try await rig.spawn()
        let probe = try ConditionsProbe(
            ["--sysfs", "/nonexistent", "--without", "netlink", "--without", "networkManager"],
            environment: bus.environment)
        try await probe.line("power=ac/upower/reported", "disagreements=0")
        try await rig.kill()
        try await probe.line("power=unknown/none/assumed/changed")
        await probe.end()
        await rig.end()
        await bus.end()
    }

    @Test("A machine that lists no supply is on AC, as a guess where UPower is absent")
    func noBattery() async throws {
        try await withProbe(withSupplies: false, startsDaemon: false) { rig, _, probe in
            try await probe.line("power=ac/rule/guessed/settled", "battery=none,unknown,unknown")
            try await rig.spawn()
            try await probe.line("power=ac/upower/reported/settled")
        }
    }

    @Test("Power is followed across a restart of the bus")
    func busRestart() async throws {
        try await withProbe { rig, bus, probe in
            try await probe.line("power=ac/upower/reported")
            await bus.stop()
            try await probe.line("power=ac/sysfs/reported")
            // upowerd ends together with its bus.
            try await bus.start()
            try await rig.spawn()
            try await probe.line("power=ac/upower/reported")
            try await rig.setAC(false)
            try await probe.line("power=battery/upower/reported")
        }
    }

    @Test("Without any bus the kernel's word is enough")
    func noBus() async throws {
        let bus = try await PrivateBus()
        let rig = try await PowerRig(bus: bus)
        let probe = try ConditionsProbe(
            ["--without", "netlink", "--without", "networkManager"],
            environment: rig.kernelEnvironment.merging(["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus"]) { $1 }
        )
        try await probe.line("power=ac/sysfs/reported/settled")
        try await rig.setAC(false)
        try await probe.line("power=battery/sysfs/reported/changed")
        await probe.end()
        await rig.end()
        await bus.end()
    }
}
