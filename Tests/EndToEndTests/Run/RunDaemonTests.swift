// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

/// Tests of commands that a daemon knows.
@Suite(
    "run and the daemon",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct RunDaemonTests {
    private let onBattery = ["--assume", "power=battery,battery=60", "--when", "ac"]

    private func withFixture(_ body: (DaemonFixture) async throws -> Void) async throws {
        let fixture = try await DaemonFixture()
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
        await fixture.end()
        try result.get()
    }

    private func commands(_ fixture: DaemonFixture) async throws -> [[String: Any]] {
        try await fixture.json("list")["commands"] as? [[String: Any]] ?? []
    }

    @Test("A waiting command is listed by its first word, explained, and started by now --anyway")
    func listed() async throws {
        try await withFixture { fixture in
            try await fixture.run("list")
            let run = try fixture.program.start(
                ["run", "-v"] + onBattery + ["--", "/bin/sh", "-c", "exit 8", "--password=secret"])
            // The command registers before it has read the conditions.
            try await waitUntil("the command's reason is known", within: 30) {
                (try await commands(fixture).first?["sentence"] as? String)?.contains("battery") == true
            }
            let row = try #require(try await commands(fixture).first)
            #expect(row["id"] as? String == "c1" && row["name"] as? String == "sh")
            #expect(row["state"] as? String == "waiting")
            #expect((row["sentence"] as? String ?? "").contains("battery"))
            let text = try await fixture.run("list")
            #expect(text.contains("c1  waiting") && text.contains("sh"))
            #expect(!text.contains("secret") && !text.contains("exit"))
            #expect(try await fixture.run("list", "c1").contains("c1  waiting"))
            #expect(try await fixture.run("why").contains("\n  c1  sh"))
            #expect(try await fixture.run("why", "c1").contains("on battery"))
            #expect(
                (try await fixture.json("why", "c1")["reasons"] as? [[String: Any]])?.first?["code"] as? String
                    == "onBattery"
            )
            #expect(run.errors.contains("known to the daemon as c1"))
            let now = try await fixture.program.run(["now", "c1"])
            #expect(now.run.errors.contains("c1 still waits: ") && now.run.errors.contains("now c1 --anyway"))
            #expect(try await fixture.program.run(["now", "c1", "--anyway"]).run.errors == "Started c1.\n")
            #expect(try await run.process.wait(within: 20) == 8)
            try await waitUntil("the command is forgotten", within: 10) { try await commands(fixture).isEmpty }
            #expect(try await fixture.run("why", "c1", status: 2).contains("no command c1"))
            #expect(try await fixture.run("pause", "c1", status: 2).contains("is a command of 'transferctl run'"))
        }
    }

    @Test("Commands that end at once are forgotten, although their last status may arrive after their end")
    func short() async throws {
        try await withFixture { fixture in
            try await fixture.run("list")
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 { _ = try await fixture.program.run(["run", "--", "true"]) }
                    }
                }
                try await group.waitForAll()
            }
            try await waitUntil("all are forgotten", within: 20) { try await commands(fixture).isEmpty }
        }
    }

    @Test("now starts a command in spite of its policy, but not in spite of its own conditions")
    func now() async throws {
        try await withFixture { fixture in
            try await fixture.run("list")
            let run = try fixture.program.start([
                "run", "--assume", "power=battery,battery=60,network=ethernet,metered=no", "--discretionary", "--",
                "sh", "-c", "exit 3",
            ])
            try await waitUntil("the command is known", within: 30) { try await !commands(fixture).isEmpty }
            #expect(try await fixture.program.run(["now", "c1"]).run.errors == "Started c1.\n")
            #expect(try await run.process.wait(within: 20) == 3)
        }
    }

    @Test("hold freezes a running command, release continues it, and a killed watcher is forgotten")
    func hold() async throws {
        try await withFixture { fixture in
            try await fixture.run("list")
            let run = try fixture.program.start([
                "run", "--on-loss", "freeze", "--", "sh", "-c", "while :; do printf x >> count; sleep 0.1; done",
            ])
            func size() -> Int {
                (try? Data(contentsOf: URL(fileURLWithPath: fixture.program.downloads + "/count")).count) ?? 0
            }
            try await waitUntil("the command counts", within: 30, watching: .files(in: fixture.program.downloads)) {
                size() > 2
            }
            try await waitUntil("the command is known", within: 30) {
                try await commands(fixture).first?["state"] as? String == "running"
            }
            try await fixture.run("hold", "--reason", "meeting")
            try await waitUntil("the command is frozen", within: 10) {
                try await commands(fixture).first?["state"] as? String == "frozen"
            }
            let frozen = size()
            try await Task.sleep(for: .seconds(1))
            #expect(size() == frozen)
            #expect(try await fixture.run("why", "c1").contains("meeting"))
            try await fixture.run("release")
            try await waitUntil("the command continues", within: 20, watching: .files(in: fixture.program.downloads)) {
                size() > frozen
            }
            run.process.signal(SIGKILL)
            try await waitUntil("the command is forgotten", within: 10) { try await commands(fixture).isEmpty }
            for process in ProcessList.running("/usr/bin/dash")
            where ProcessList.folder(of: process) == fixture.program.downloads { kill(process, SIGKILL) }
        }
    }

    @Test("run starts no daemon, says so with -v, and registers when a daemon appears; a hold is in force at once")
    func late() async throws {
        try await withFixture { fixture in
            let run = try fixture.program.start(["run", "-v"] + onBattery + ["--", "true"])
            try await run.waitForMessage("no daemon runs")
            #expect(try await fixture.process() == nil)
            try await fixture.run("hold")
            try await waitUntil("the command is known", within: 30) { try await !commands(fixture).isEmpty }
            try await waitUntil("the hold is known", within: 10) { try await fixture.run("why", "c1").contains("hold") }
            kill(try #require(try await fixture.process()), SIGTERM)
            try await run.waitForMessage("the daemon ended")
            run.process.signal(SIGINT)
            #expect(try await run.process.wait(within: 20) == 130)
        }
    }
}
