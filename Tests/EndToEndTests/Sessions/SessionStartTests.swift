// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "Apps that a real daemon starts for their sessions", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionStartTests {
    @Test(
        "L1, L2: an app may exit right after resume; the daemon goes on, and starts it with its events by its command")
    func relaunchByCommand() async throws {
        try await SessionRig.with(rate: 1_000_000) { rig in
            try rig.server.serve("episode", bytes: 2_000_000)
            let app = try rig.app("app", "--session", "episodes", "--relaunch")
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("episode"))")
            try app.send("exit")
            try app.log.wait(for: "began", count: 2)
            try app.log.wait(for: "ended")
            #expect(app.log.lines.contains { $0.hasPrefix("began ") && $0.hasSuffix(" for episodes") })
            let later = app.log.events.map(\.shortLine)
            #expect(
                later == [
                    "opened episodes", "opened episodes", "responded 1 200", "downloaded 1 2000000",
                    "completed 1 0",
                    "finished", "ended",
                ])
            // The app may end before the daemon has learned the outcome of the start.
            try waitUntil("the start's outcome", within: 60) { try rig.row()["last-outcome"] as? String == "started" }
            let row = try rig.row()
            #expect(row["launches"] as? Int == 1)
            #expect(row["waiting-events"] as? Int == 0)
            await app.process.end()
        }
    }

    @Test("L2: an app with a name that the bus can start is started by that name, without having said so")
    func relaunchByName() async throws {
        try await SessionRig.with(rate: 1_000_000) { rig in
            let name = "org.example.Sessions-Test"
            try rig.server.serve("episode", bytes: 1_000_000)
            try await rig.makeActivatable(name, ["--name", name], log: "started")
            let app = try rig.app("app", "--name", name, "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "submitted")
            await app.crash()
            let started = rig.log("started")
            defer { started.killAll() }
            try started.wait(for: "finished")
            #expect(
                started.events.map(\.shortLine) == [
                    "called episodes", "opened episodes", "responded 1 200", "downloaded 1 1000000", "completed 1 0",
                    "finished",
                ])
            let row = try rig.row(of: name)
            #expect(row["bus-name"] as? String == name)
            #expect(row["launches"] as? Int == 1)
            #expect(row["front"] as? Bool == false)
        }
    }

    @Test("T3, L2: an app that does not run is started when the date of a delayed task has come, and lets it begin")
    func delayedBegin() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            let app = try rig.app("app", "--session", "episodes", "--relaunch")
            try app.log.wait(for: "opened")
            try app.send("later 3 \(rig.server.url("episode"))")
            try app.log.wait(for: "submitted 1")
            #expect(rig.server.requests().isEmpty)
            await app.crash()
            try app.log.wait(for: "willbegin 1 episode")
            try waitUntil("it is fetched", within: 60) { !rig.server.requests().isEmpty }
            app.log.killAll()
        }
    }

    @Test(
        "L2: what keeps an app from being started is shown",
        arguments: [
            (["/nonexistent/program"], "missing", "No such file or directory"), (["/bin/false"], "crashed", "status 1"),
            (["/bin/sh", "-c", "kill -SEGV $$"], "crashed", "Segmentation fault"),
        ])
    func failedLaunch(command: [String], outcome: String, words: String) async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            let app = try rig.app("app", ["--session", "episodes", "--relaunch"] + command)
            try app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 1")
            await app.crash()
            try waitUntil("the attempt is shown", within: 60) { try rig.row()["last-outcome"] as? String == outcome }
            let row = try rig.row()
            #expect(row[outcome] as? Int == 1)
            #expect((row["last-words"] as? String)?.contains(words) == true)
            #expect(row["waiting-events"] as? Int == 3)
            let table = try rig.daemon.run("apps")
            #expect(table.contains(outcome) && table.contains(words))
            #expect(try rig.daemon.run("sessions").contains("episodes"))
        }
    }

    @Test("L2: a name whose program ends at once is shown as crashed")
    func failedName() async throws {
        try await SessionRig.with { rig in
            let name = "org.example.Broken"
            try rig.server.serve("episode", bytes: 1000)
            try await rig.makeActivatable(name, program: "/bin/false", [], log: "started")
            let app = try rig.app("app", "--name", name, "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 1")
            await app.crash()
            try waitUntil("the attempt is shown", within: 60) {
                try rig.row(of: name)["last-outcome"] as? String == "crashed"
            }
        }
    }

    @Test("L4: to end an app for good cancels what it has, and starts it no more")
    func quit() async throws {
        try await SessionRig.with(rate: 100_000) { rig in
            try rig.server.serve("episode", bytes: 5_000_000)
            let app = try rig.app("app", "--session", "episodes", "--relaunch")
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "received 1")
            await app.crash()
            #expect(try rig.daemon.run("apps", "quit", SessionRig.program) == "1")
            #expect(try rig.row()["launches"] as? Int == 0)
            #expect(try rig.row()["open"] as? Int == 0)
            let next = try rig.app("next", "--session", "episodes")
            try next.log.wait(for: "completed 1 -999")
            await next.crash()
        }
    }
}
