// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GRDB
import ProcessFixtures
import Testing

@Suite(
    "P3: the daemon's program replaced by another release",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct ReplacedDaemonTests {
    /// Replaces the installed daemon by another one.
    private func install(_ daemon: String, in folder: TemporaryFolder) throws {
        try InstalledPrograms(folder: folder.path).install(["transferd": daemon])
    }

    /// Creates a folder with the programs of a release. `transferd` is one of two daemons.
    private func programs(daemon: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let programs = InstalledPrograms(folder: folder.path)
        try programs.install("transferctl", "transfer-worker", "SessionApp")
        try programs.install(["transferd": daemon])
        return folder
    }

    private func files(of process: pid_t) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    @Test("a later release continues transfers, sessions, and the process, and migrates the queue; no call fails")
    func later() async throws {
        try await replace(gated: nil)
    }

    @Test(
        "P3: a gated unit that was frozen and one that waited also continue with the later release",
        .enabled(
            if: GatedMachine.unavailabilityReason == nil, "\(GatedMachine.unavailabilityReason ?? "")"))
    func gatedUnits() async throws {
        let machine = try await GatedMachine(pluggedIn: true)
        let frozenCount: Int
        let result: Result<Void, any Error>
        do {
            try await machine.systemd.write(
                "[Service]\nType=oneshot\nExecStart=/bin/touch \(machine.folder.path)/waited\n",
                to: "/etc/systemd/system/waiting.service")
            try await machine.systemd.run("systemctl", "daemon-reload")
            for unit in ["backup", "waiting"] {
                _ = try await machine.gate("install", unit, "--when", "ac", "--on-loss", "freeze")
            }
            try await machine.systemd.run("systemctl", "start", "--no-block", "backup")
            try await machine.awaitCounting(within: 30)
            try await machine.power.setAC(false)
            _ = try await machine.awaitSilence(within: 15)
            try await machine.systemd.run("systemctl", "start", "--no-block", "waiting")
            try await machine.awaitState("activating", of: "transfer-gate-waiting.service", within: 10)
            frozenCount = machine.count
            result = .success(
                try await replace(gated: machine) { try await checkUnits(of: machine, frozen: frozenCount) })
        } catch {
            result = .failure(error)
        }
        await machine.end()
        try result.get()
    }

    /// Checks the units of ``gatedUnits()`` after the programs were replaced.
    private func checkUnits(of machine: GatedMachine, frozen count: Int) async throws {
        #expect(machine.count == count, "the unit stays frozen all the time")
        let waited = machine.folder.path + "/waited"
        #expect(!FileManager.default.fileExists(atPath: waited))
        let list = try await machine.gate("list")
        #expect(list.contains("backup.service: frozen") && list.contains("waiting.service: waiting"), "\(list)")
        try await machine.power.setAC(true)
        try await machine.awaitCounting(within: 20)
        try await waitUntil("the waiting unit has run", within: 20, watching: .files(in: machine.folder.path)) {
            FileManager.default.fileExists(atPath: waited)
        }
        #expect(machine.starts == 1)
    }

    /// Replaces the daemon by a later release during a user's transfer, an app's transfer, and gated units.
    private func replace(gated machine: GatedMachine?, check: () async throws -> Void = {}) async throws {
        let folder = try programs(daemon: "transferd")
        let own = folder.path + "/SessionApp"
        try await SessionFixture.with(rate: 100_000, programs: folder.path) { fixture in
            var files: [String: Data?] = [:]
            for (number, name) in ["app", "user"].enumerated() {
                let path = try fixture.server.serve(name, bytes: 1_500_000, seed: UInt64(number))
                files[name] = FileManager.default.contents(atPath: path)
            }
            let moveFolder = fixture.daemon.program.folder.path + "/received"
            try FileManager.default.createDirectory(atPath: moveFolder, withIntermediateDirectories: true)
            let log = fixture.log("app")
            let app = try fixture.app(
                "app", program: own,
                ["--session", "s", "--move", moveFolder, "--relaunch", own, log.path, "--move", moveFolder])
            try await log.wait(for: "opened")
            try app.send("download \(fixture.server.url("app"))")
            let id = try await fixture.daemon.run("add", fixture.server.url("user"))
            try await log.wait(for: "received 1")
            try await waitUntil("a part has arrived", within: 60) {
                (try await fixture.daemon.transfer(id)["bytes"] as? Int ?? 0) >= 200_000
            }
            let waiting = try ChildProcess(
                folder.path + "/transferctl", ["wait", id], environment: fixture.daemon.program.environment,
                output: fixture.daemon.program.folder.path + "/wait")
            let process = try #require(try await fixture.daemon.process())
            let filesBefore = try self.files(of: process)

            try install("LaterDaemon", in: folder)
            try await machine?.replacePrograms(daemon: builtProgram("LaterDaemon"))
            // Calls arrive all the time, also while neither program is on the bus.
            try await waitUntil("the later release runs", within: 60) {
                try await fixture.daemon.run("list")
                return try await fixture.daemon.json("service", "status")["version"] as? String == "99.1.0"
            }
            let status = try await fixture.daemon.program.run(["service", "status"])
            #expect(status.run.output.contains("running: process \(process), version 99.1.0 (1a7e51a7e5a7), "))
            #expect(status.run.errors.contains("transferctl: the daemon is version 99.1.0 (1a7e51a7e5a7) and this "))
            #expect(try self.files(of: process) <= filesBefore + 2)
            let queue = try DatabaseQueue(path: fixture.daemon.program.folder.path + "/state/transferd/queue.sqlite")
            let migrated = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM later") }
            #expect(migrated == 2)
            try queue.close()

            // The running app still has its session. A crashed app is launched by the later release.
            try app.send("tasks")
            await app.crash()
            try await waitUntil("\(id) has finished", within: 120) {
                try await fixture.daemon.state(of: id) == "finished"
            }
            // A command that waited for the transfer goes on waiting.
            #expect(try await waiting.wait(within: 60) == 0)
            let path = fixture.daemon.program.downloads + "/user"
            #expect(FileManager.default.contents(atPath: path) == files["user"])
            try await log.wait(for: "moved 1")
            #expect(FileManager.default.contents(atPath: moveFolder + "/1") == files["app"])
            try await log.wait(for: "completed 1 0")
            // No byte is requested twice, except those that were on their way.
            for name in files.keys {
                let requests = fixture.server.requests().filter { $0.path == "/\(name)" }
                #expect(requests.filter { $0.range == "-" || $0.range.hasPrefix("bytes=0-") }.count == 1, "\(requests)")
                #expect(requests.contains { $0.status == 206 }, "\(requests)")
                #expect(requests.map(\.bytesSent).reduce(0, +) < 2_000_000, "\(requests)")
            }
            #expect(try await fixture.daemon.process() == process)
            try await check()
        }
    }

    @Test("an earlier release, which cannot read the queue, is refused by a sentence, and the later one continues")
    func earlier() async throws {
        let folder = try programs(daemon: "LaterDaemon")
        let bus = try await PrivateBus()
        do {
            let (process, state) = try await SessionFixture.daemonWithoutActivation(
                on: bus, program: folder.path + "/transferd")
            func output() -> String { (try? String(contentsOfFile: state.path + "/out", encoding: .utf8)) ?? "" }
            try install("transferd", in: folder)
            try await waitForText("cannot continue", in: state.path + "/out")
            #expect(output().contains("was written by a newer version of this program. Update this program"))
            #expect(kill(process.id, 0) == 0)
            kill(process.id, SIGTERM)
            #expect(try await process.wait(within: 60) == 0)
            // At its next start, the earlier release refuses the queue with the same sentence.
            let environment = bus.sessionEnvironment.merging(bus.environment) { $1 }
                .merging(["XDG_STATE_HOME": state.path, "XDG_CONFIG_HOME": state.path]) { $1 }
            let next = try ChildProcess(
                folder.path + "/transferd", [], environment: environment, output: state.path + "/next",
                errors: state.path + "/next")
            #expect(try await next.wait(within: 60) == 2)
            let sentence = try String(contentsOfFile: state.path + "/next", encoding: .utf8)
            #expect(sentence.contains("was written by a newer version of this program. Update this program"))
        } catch {
            await bus.end()
            throw error
        }
        await bus.end()
    }

    @Test("a daemon that the bus starts while another one ends waits for the end; otherwise it names the other one")
    func secondDaemon() async throws {
        let fixture = try await DaemonFixture()
        do {
            let folder = fixture.program.folder.path + "/state/transferd"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            chmod(folder, 0o700)
            let file = open(folder + "/transferd.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            var request = flock(
                l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 1, l_pid: 0)
            #expect(fcntl(file, F_SETLK, &request) == 0)
            #expect(try await fixture.program.run(["list"]).status == 3)
            #expect(pwrite(file, "changing\n", 9, 0) == 9)
            let output = fixture.program.folder.path + "/list"
            let list = try ChildProcess(
                fixture.program.executable, ["list"], environment: fixture.program.environment, output: output)
            try await waitUntil("the second daemon waits", within: 60) {
                try Self.openers(of: folder + "/transferd.lock") > 1
            }
            close(file)
            #expect(try await list.wait(within: 60) == 0)
        } catch {
            await fixture.end()
            throw error
        }
        await fixture.end()
    }

    /// Returns the number of processes that have opened a file.
    private static func openers(of path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.count { process in
            let folder = "/proc/\(process)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
            }
        }
    }
}
