// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Apps launched by a real daemon for their sessions",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionStartTests {
    @Test("L2: an app with an activatable bus name is launched by this name without a relaunch command")
    func relaunchByName() async throws {
        try await SessionFixture.with(rate: 1_000_000) { fixture in
            let name = "org.example.Sessions-Test"
            try fixture.server.serve("episode", bytes: 1_000_000)
            try await fixture.makeActivatable(name, ["--name", name], log: "started")
            let app = try fixture.app("app", "--name", name, "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "submitted")
            await app.crash()
            let started = fixture.log("started")
            defer { started.killAll() }
            try await started.wait(for: "finished")
            #expect(
                started.events.map(\.shortLine) == [
                    "called episodes", "opened episodes", "responded 1 200", "downloaded 1 1000000", "completed 1 0",
                    "finished",
                ])
            let row = try await fixture.row(of: name)
            #expect(row["bus-name"] as? String == name)
            #expect(row["launches"] as? Int == 1)
            #expect(row["front"] as? Bool == false)
        }
    }

    @Test(
        "L2: the reason for a failed launch is shown",
        arguments: [
            (["/nonexistent/program"], "missing", "No such file or directory"), (["/bin/false"], "crashed", "status 1"),
            (["/bin/sh", "-c", "kill -SEGV $$"], "crashed", "Segmentation fault"),
        ])
    func failedLaunch(command: [String], outcome: String, words: String) async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            let app = try fixture.app("app", ["--session", "episodes", "--relaunch"] + command)
            try await app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 1")
            await app.crash()
            try await waitUntil("the attempt is shown", within: 60) {
                try await fixture.row()["last-outcome"] as? String == outcome
            }
            let row = try await fixture.row()
            #expect(row[outcome] as? Int == 1)
            #expect((row["last-error"] as? String)?.contains(words) == true)
            #expect(row["waiting-events"] as? Int == 3)
            let table = try await fixture.daemon.run("apps")
            let shown = outcome == "missing" ? "program missing" : "ended immediately"
            #expect(table.contains("1 \(shown)") && table.contains(words), "\(table)")
            #expect(try await fixture.daemon.run("apps").contains("episodes"))
        }
    }

    @Test("L2: a bus name whose program exits immediately is shown as crashed")
    func failedName() async throws {
        try await SessionFixture.with { fixture in
            let name = "org.example.Broken"
            try fixture.server.serve("episode", bytes: 1000)
            try await fixture.makeActivatable(name, program: "/bin/false", [], log: "started")
            let app = try fixture.app("app", "--name", name, "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 1")
            await app.crash()
            try await waitUntil("the attempt is shown", within: 60) {
                try await fixture.row(of: name)["last-outcome"] as? String == "crashed"
            }
        }
    }
}
