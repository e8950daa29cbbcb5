// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// A booted system, with a unit that counts: it appends a letter to a file ten times a second.
struct GatedMachine {
    let systemd: SystemdFixture
    let power: PowerFixture
    let folder: TemporaryFolder
    /// The path of `transferctl` inside: a copy that a test may replace. The service that publishes conditions
    /// does not see the files in /tmp.
    let control = "/opt/transfer/transferctl"

    init(pluggedIn: Bool) async throws {
        folder = try TemporaryFolder()
        systemd = try await SystemdFixture(
            sharing: [folder.path, builtFolder])
        try await systemd.run("mkdir", "/opt/transfer")
        try await systemd.run("cp", Transferctl.path, DaemonFixture.daemonPath, "/opt/transfer/")
        power = try await systemd.startPower()
        if !pluggedIn { try await power.setAC(false) }
        try await systemd.write(
            """
            [Service]
            Type=oneshot
            ExecStart=/bin/sh -c 'echo >>\(folder.path)/starts; while sleep 0.1; do printf x >>\(folder.path)/count; done'
            """, to: "/etc/systemd/system/backup.service")
        try await systemd.run("systemctl", "daemon-reload")
    }

    func gate(_ words: String...) async throws -> String {
        try await FixtureProcess.run(systemd.entry + [control, "gate"] + words)
    }

    func service(_ words: String...) async throws -> String {
        try await FixtureProcess.run(systemd.entry + [control, "service"] + words)
    }

    /// The reason why a machine cannot boot here, or `nil`.
    static var unavailabilityReason: String? {
        SystemdFixture.unavailabilityReason ?? PowerFixture.unavailabilityReason
    }

    func state(of unit: String) async throws -> String {
        try await systemd.run("systemctl", "show", "-P", "ActiveState", unit).trimmingCharacters(
            in: .whitespacesAndNewlines)
    }

    /// The words of the properties that a gate changes. systemd prints them in any order.
    func dependencies() async throws -> Set<Substring> {
        let text = try await systemd.run("systemctl", "show", "backup", "-p", "Requires,After,DropInPaths")
        return Set(text.split { " =\n".contains($0) })
    }

    var count: Int { (try? Data(contentsOf: URL(fileURLWithPath: folder.path + "/count")).count) ?? 0 }
    var starts: Int { (try? Data(contentsOf: URL(fileURLWithPath: folder.path + "/starts")).count) ?? 0 }

    func awaitCounting(within seconds: Double) async throws {
        let before = count
        try await waitUntil("the unit counts", within: seconds, watching: .files(in: folder.path)) { count > before }
    }

    /// Waits until the unit has not counted for a second, and returns the seconds until the last letter.
    func awaitSilence(within seconds: Double) async throws -> Double {
        try await Counting.awaitSilence(in: folder.path, within: seconds) { count }
    }

    /// Waits until the unit has started a number of times.
    func awaitStarts(_ number: Int, within seconds: Double) async throws {
        try await waitUntil("start \(number)", within: seconds, watching: .files(in: folder.path)) { starts >= number }
    }

    func awaitState(_ state: String, of unit: String, within seconds: Double) async throws {
        try await waitUntil("\(unit) becomes \(state)", within: seconds) { try await self.state(of: unit) == state }
    }

    /// Replaces the programs as a package manager does: the names get other files, and running processes keep the old.
    func replacePrograms(daemon: String) async throws {
        for (source, name) in [(Transferctl.path, "transferctl"), (daemon, "transferd")] {
            try await systemd.run("cp", source, "/opt/transfer/new")
            try await systemd.run("mv", "/opt/transfer/new", "/opt/transfer/" + name)
        }
        try await systemd.run("systemctl", "daemon-reload")
    }

    func end() async {
        await power.end()
        await systemd.end()
    }
}
