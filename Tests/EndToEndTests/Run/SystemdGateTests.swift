// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Rule D2 of the doors: gates of units and targets, under a real systemd with a real upowerd.
@Suite(
    "D2: gates under systemd", .timeLimit(.minutes(5)),
    .enabled(if: SystemdFixture.unavailabilityReason == nil, "\(SystemdFixture.unavailabilityReason ?? "")"),
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"))
struct SystemdGateTests {
    private func with(pluggedIn: Bool, _ body: (GatedMachine) async throws -> Void) async throws {
        let machine = try await GatedMachine(pluggedIn: pluggedIn)
        let result: Result<Void, any Error>
        do { result = .success(try await body(machine)) } catch { result = .failure(error) }
        await machine.end()
        try result.get()
    }

    @Test("A unit waits on battery, starts on AC power, is frozen within 5 s of unplugging, and continues")
    func freeze() async throws {
        try await with(pluggedIn: false) { machine in
            _ = try await machine.gate("install", "backup", "--when", "ac", "--by", "24h", "--on-loss", "freeze")
            try await machine.systemd.run("systemctl", "start", "--no-block", "backup")
            try await machine.awaitState("activating", of: "transfer-gate-backup.service", within: 60)
            try await Task.sleep(for: .seconds(3))
            #expect(machine.starts == 0)
            #expect(try await machine.gate("list").contains("backup.service: waiting: on battery"))

            try await machine.power.setAC(true)
            try await machine.awaitCounting(within: 60)
            try await machine.power.setAC(false)
            #expect(try await machine.awaitSilence(within: 60) < 5 + Tolerance.seconds)
            #expect(try await machine.gate("list", "--json").contains("\"state\":\"frozen\""))
            try await machine.power.setAC(true)
            try await machine.awaitCounting(within: 60)

            // If the gate is killed, systemd thaws the unit.
            try await machine.power.setAC(false)
            _ = try await machine.awaitSilence(within: 60)
            try await machine.systemd.run(
                "systemctl", "kill", "--kill-whom=main", "--signal=KILL", "transfer-gate-backup.service")
            try await machine.awaitCounting(within: 5 + Tolerance.seconds)
            #expect(machine.starts == 1)
        }
    }

    @Test("A frozen unit can be stopped, the deadline starts a unit on battery, and 'now' opens the gate")
    func ends() async throws {
        try await with(pluggedIn: true) { machine in
            _ = try await machine.gate("install", "backup", "--when", "ac", "--on-loss", "freeze")
            try await machine.systemd.run("systemctl", "start", "--no-block", "backup")
            try await machine.awaitCounting(within: 60)
            try await machine.power.setAC(false)
            _ = try await machine.awaitSilence(within: 60)
            try await machine.systemd.run("systemctl", "stop", "backup")
            try await machine.awaitState("inactive", of: "transfer-gate-backup.service", within: 60)

            _ = try await machine.gate("install", "backup", "--when", "ac", "--by", "3s")
            let (began, starts) = (Date(), machine.starts)
            try await machine.systemd.run("systemctl", "start", "--no-block", "backup")
            try await machine.awaitStarts(starts + 1, within: 60)
            #expect(Date().timeIntervalSince(began) > 2)
            try await machine.systemd.run("systemctl", "stop", "backup")

            _ = try await machine.gate("install", "backup", "--when", "ac", "--by", "24h")
            try await machine.systemd.run("systemctl", "start", "--no-block", "backup")
            try await machine.awaitState("activating", of: "transfer-gate-backup.service", within: 60)
            _ = try await machine.gate("now", "backup")
            try await machine.awaitStarts(starts + 2, within: 60)
        }
    }

    @Test("Under 'stop', the unit and its gate end without a failure when the conditions are lost")
    func stop() async throws {
        try await with(pluggedIn: true) { machine in
            _ = try await machine.gate("install", "backup", "--when", "ac", "--on-loss", "stop")
            try await machine.systemd.run("systemctl", "start", "--no-block", "backup")
            try await machine.awaitCounting(within: 60)
            try await machine.power.setAC(false)
            try await machine.awaitState("inactive", of: "transfer-gate-backup.service", within: 60)
            #expect(try await machine.awaitSilence(within: 5) == 0 && machine.starts == 1)
        }
    }

    @Test("Under 'restart', the unit ends and waits again; removing the gate leaves the unit as it was")
    func restartAndRemove() async throws {
        try await with(pluggedIn: true) { machine in
            let before = try await machine.dependencies()
            _ = try await machine.gate("install", "backup", "--when", "ac", "--on-loss", "restart")
            try await machine.systemd.run("systemctl", "start", "--no-block", "backup")
            try await machine.awaitCounting(within: 60)
            try await machine.power.setAC(false)
            _ = try await machine.awaitSilence(within: 60)
            try await machine.awaitState("activating", of: "transfer-gate-backup.service", within: 60)
            #expect(machine.starts == 1)

            // A waiting run begins.
            _ = try await machine.gate("remove", "backup")
            try await machine.awaitStarts(2, within: 60)
            #expect(try await machine.gate("list") == "No unit has a gate.\n")
            let after = try await machine.dependencies()
            #expect(after == before)
            await #expect(throws: FixtureError.self) { try await machine.gate("remove", "backup") }
        }
    }

    @Test("After an update of the program, a waiting gate still opens, and freezes and thaws its unit")
    func update() async throws {
        try await with(pluggedIn: false) { machine in
            _ = try await machine.gate("install", "backup", "--when", "ac", "--on-loss", "freeze")
            try await machine.systemd.run("systemctl", "start", "--no-block", "backup")
            try await machine.awaitState("activating", of: "transfer-gate-backup.service", within: 60)

            try await machine.replacePrograms(daemon: DaemonFixture.daemonPath)
            #expect(try await machine.state(of: "transfer-gate-backup.service") == "activating")

            try await machine.power.setAC(true)
            try await machine.awaitCounting(within: 60)
            try await machine.power.setAC(false)
            #expect(try await machine.awaitSilence(within: 60) < 5 + Tolerance.seconds)
            // systemd thaws the unit with the new program.
            try await machine.systemd.run(
                "systemctl", "kill", "--kill-whom=main", "--signal=KILL", "transfer-gate-backup.service")
            try await machine.awaitCounting(within: 5 + Tolerance.seconds)
            #expect(machine.starts == 1)
        }
    }

    @Test("'run' gets a scope of systemd, whose group is frozen, and thaws when 'run' is killed")
    func scope() async throws {
        try await with(pluggedIn: true) { machine in
            try await machine.systemd.run(
                "systemd-run", "--unit=watcher", "--setenv=HOME=/root", machine.control, "run", "--when", "ac",
                "--on-loss",
                "freeze", "--", "sh", "-c", "while sleep 0.1; do printf x >>\(machine.folder.path)/count; done")
            try await machine.awaitCounting(within: 60)
            try await machine.power.setAC(false)
            #expect(try await machine.awaitSilence(within: 60) < 5 + Tolerance.seconds)
            let events = "cat /sys/fs/cgroup/system.slice/transferctl-run-*.scope/cgroup.events"
            #expect(try await machine.systemd.run("sh", "-c", events).contains("frozen 1"))
            try await machine.systemd.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "watcher")
            try await machine.awaitCounting(within: 5 + Tolerance.seconds)
        }
    }

    @Test("Targets come and go with the conditions, and other users may only read")
    func targets() async throws {
        try await with(pluggedIn: true) { machine in
            try await machine.systemd.write(
                """
                [Unit]
                BindsTo=transfer-ac.target
                After=transfer-ac.target
                [Service]
                ExecStart=/bin/sleep 1000
                [Install]
                WantedBy=transfer-ac.target
                """, to: "/etc/systemd/system/onac.service")
            try await machine.systemd.run("systemctl", "enable", "onac.service")
            _ = try await machine.service("install", "--system")
            try await machine.awaitState("active", of: "onac.service", within: 60)
            #expect(try await machine.state(of: "transfer-not-unmetered.target") == "active")
            try await machine.power.setAC(false)
            try await machine.awaitState("inactive", of: "onac.service", within: 60)
            try await machine.awaitState("active", of: "transfer-not-ac.target", within: 5)
            try await machine.power.setAC(true)
            try await machine.awaitState("active", of: "onac.service", within: 60)

            let property = [
                "setpriv", "--reuid=65534", "--clear-groups", "busctl", "--system", "get-property", "org.transferd",
                "/org/transferd/Conditions", "org.transferd.Conditions1",
            ]
            let read = try await FixtureProcess.run(machine.systemd.entry + property + ["OnAC"])
            #expect(read == "s \"yes\"\n")
            for (words, refusal) in [
                (["set-property"] + property[6...] + ["OnAC", "s", "no"], "not writable"),
                (
                    [
                        "call", "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName", "su",
                        "org.transferd", "4",
                    ], "denied"
                ),
            ] {
                do {
                    _ = try await FixtureProcess.run(
                        machine.systemd.entry + property[..<5] + words)
                    Issue.record("allowed: \(words)")
                } catch {
                    #expect("\(error)".localizedCaseInsensitiveContains(refusal), "\(error)")
                }
            }

            // Nobody knows the conditions while the service does not run.
            try await machine.systemd.run("systemctl", "stop", "transfer-conditions.service")
            try await machine.awaitState("inactive", of: "onac.service", within: 60)
            _ = try await machine.service("uninstall", "--system")
            #expect(
                try await machine.systemd.run(
                    "sh", "-c", "ls /etc/systemd/system /etc/dbus-1/system.d | grep transfer | grep -v wants || true")
                    == "")
        }
    }
}
