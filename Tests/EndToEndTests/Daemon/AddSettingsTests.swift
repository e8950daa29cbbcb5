// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import HostileServer
import ProcessFixtures
import Testing

@Suite(
    "Settings of single transfers of the daemon",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct AddSettingsTests {
    @Test("The user agent and the rate of a transfer reach the server, and a program runs afterwards without a shell")
    func settings() async throws {
        let file = ServedFile(bytes: ServedFile.content(300_000))
        let server = try HostileServer { file.serve($0, $1) }
        defer { server.stop() }
        try await DaemonFixture.with { fixture in
            let folder = fixture.program.folder.path
            let script = folder + "/script"
            try "#!/bin/sh\necho \"$# $1 $2 $TRANSFER_RESULT $TRANSFER_STATUS $TRANSFER_PATH\" > \"$3\"\n".write(
                toFile: script, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
            let start = ContinuousClock.now
            try await fixture.run(
                "add", server.url("/file.bin"), "-d", fixture.program.downloads, "--user-agent", "me/1", "--limit-rate",
                "100K", "--wait", "--on-complete", script, "a $(b); `c`", "--flag", folder + "/result")
            #expect(start.duration(to: .now) > .seconds(1), "300 kB at 100 KiB/s")
            #expect(server.requests.allSatisfy { $0.value("User-Agent") == "me/1" } && !server.requests.isEmpty)
            try await waitForText("\n", in: folder + "/result")
            #expect(
                try String(contentsOfFile: folder + "/result", encoding: .utf8)
                    == "3 a $(b); `c` --flag finished 200 \(fixture.program.downloads)/file.bin\n")
        }
    }

    @Test("A transfer's own policy decides instead of the daemon's, also after a restart of the daemon")
    func policy() async throws {
        let server = try await NginxServer()
        try server.serve("file.bin", bytes: 1000)
        try await DaemonFixture.with { fixture in
            let power = try await PowerFixture(bus: fixture.bus)
            try await power.spawn()
            try await power.setAC(false)
            let folder = try #require(fixture.program.environment["XDG_CONFIG_HOME"]) + "/transferd"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try "policy = \"immediate\"\n".write(
                toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
            let url = server.url("file.bin")
            #expect(
                try await fixture.run(
                    "add", url, "-d", fixture.program.downloads, "--discretionary", "--policy", "strict") == "1")
            #expect(try await fixture.run("why", "1").contains("on battery"))
            #expect(try await fixture.run("list", "1").contains("those of the policy strict"))
            try await fixture.endDaemon(by: SIGKILL)
            #expect(try await fixture.run("why", "1").contains("on battery"))
            try await fixture.run("add", url, "-d", fixture.program.downloads, "--discretionary", "--wait")
            #expect(try await fixture.run("add", url, "--policy", "none", status: 2).contains("--policy"))
            await power.end()
        }
    }

    @Test("A value can be removed, and each command says what it did")
    func removals() async throws {
        try await DaemonFixture.with { fixture in
            func errors(_ arguments: String...) async throws -> String {
                let result = try await fixture.program.run(arguments)
                #expect(result.status == 0)
                return result.run.errors
            }
            try await fixture.run("add", "http://127.0.0.1:9/f", "--not-before", "+1d", "--when", "ac", "--by", "+2d")
            #expect(
                try await errors("set", "1", "priority=high").contains("Changed 1: conditions: AC power; not before "))
            #expect(
                try await errors("set", "1", "by=none", "when=none").contains("Changed 1: conditions: not before "))
            let shown = try await fixture.transfer("1")["constraints"] as? [String: Any]
            #expect(shown?.keys.sorted() == ["not-before"])
            #expect(try await errors("pause", "1") == "Paused 1.\n")
            #expect(try await errors("resume", "--all") == "Resumed 1.\n")
            #expect(try await errors("hold", "--for", "2h").contains("All transfers are on hold until "))
            #expect(try await fixture.run("why", "1").contains("on hold since "))
            #expect(
                try await errors("hold", "--reason", "a call").contains("on hold until 'transferctl release': a call."))
            #expect(try await errors("release") == "Released all transfers.\n")
            #expect(try await errors("release") == "There was no hold.\n")
            #expect(try await errors("now", "1").contains("'transferctl now 1 --anyway' starts it"))
            #expect(try await fixture.state(of: "1") == "waiting")
            // The server refuses, so the transfer may already wait for its next attempt.
            #expect(!(try await errors("now", "1", "--anyway").contains("not before")))
            try await waitUntil("the first attempt", within: 60) {
                try await fixture.transfer("1")["attempt"] as? Int ?? 0 > 0
            }
            #expect(try await errors("cancel", "--all") == "Canceled 1.\n")
            #expect(try await errors("cancel", "--all") == "No unfinished transfers.\n")
        }
    }

    @Test("An installation that the bus does not see is reported with a remedy")
    func activation() async throws {
        let fixture = try await DaemonFixture()
        defer { withExtendedLifetime(fixture) {} }
        func install(_ fixture: DaemonFixture) async throws -> String {
            var program = fixture.program
            program.environment["XDG_DATA_HOME"] = program.folder.path + "/data"
            let result = try await program.run(["service", "install"])
            #expect(result.status == 0)
            return result.run.errors
        }
        let seen = try await install(fixture)
        #expect(seen.contains("D-Bus starts "), "\(seen)")
        // The bus no longer has the file that the fixture wrote.
        try FileManager.default.removeItem(atPath: fixture.bus.serviceFolder + "/org.transferd.service")
        let unseen = try await install(fixture)
        await fixture.bus.end()
        #expect(unseen.contains("does not read "), "\(unseen)")
    }
}
