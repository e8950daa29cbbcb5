// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "Background sessions of real apps over a real daemon", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionTests {
    @Test("E3, E4: a download's events come in order, 404 is an answer; what is acknowledged does not come again")
    func order() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 300_000)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 1")
            try app.send("download \(rig.server.url("missing"))")
            try app.log.wait(for: "completed 2")
            let events = app.log.events.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
            #expect(
                events == [
                    "opened episodes", "responded 1 200", "downloaded 1 300000", "completed 1 0",
                    "responded 2 404", "downloaded 2 153", "completed 2 0",
                ])
            // An event is dealt with after its line is there.
            try waitUntil("the last is dealt with", within: 60) { try rig.row()["waiting-events"] as? Int == 0 }
            await app.crash()
            // All was dealt with: the next process hears of nothing.
            let next = try rig.app("next", "--session", "episodes")
            try next.log.wait(for: "opened")
            try next.send("tasks")
            try next.log.wait(for: "tasks")
            #expect(next.log.events == ["opened episodes", "tasks"])
            await next.crash()
        }
    }

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
            let later = app.log.events.map(Self.short)
            #expect(
                later == [
                    "opened episodes", "opened episodes", "responded 1 200", "downloaded 1 2000000",
                    "completed 1 0",
                    "finished", "ended",
                ])
            // The app may be quicker than the answer to who started it.
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
                started.events.map(Self.short) == [
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

    @Test("S4: a second process is refused by the first one's process id, and has the session once that one is gone")
    func twoProcesses() async throws {
        try await SessionRig.with { rig in
            let first = try rig.app("first", "--session", "episodes")
            try first.log.wait(for: "opened")
            let second = try rig.app("second", "--session", "episodes")
            let refusal = try second.log.wait(for: "refused")
            #expect(refusal.hasPrefix("refused inUse \(first.process.id):"))
            #expect(refusal.contains("process \(first.process.id)"))
            await first.crash()
            try second.send("open episodes")
            try second.log.wait(for: "opened")
            await second.crash()
        }
    }

    @Test("S1: two programs use one identifier and see nothing of each other")
    func twoPrograms() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            let copy = rig.daemon.program.folder.path + "/OtherApp"
            try FileManager.default.copyItem(atPath: SessionRig.program, toPath: copy)
            let one = try rig.app("one", "--session", "episodes")
            let two = try rig.app("two", program: copy, "--session", "episodes")
            for app in [one, two] { try app.log.wait(for: "opened") }
            try one.send("download \(rig.server.url("episode"))")
            try one.log.wait(for: "completed 1")
            try two.send("tasks")
            try two.log.wait(for: "tasks")
            #expect(two.log.events == ["opened episodes", "tasks"])
            // Both number their tasks from 1: nothing is shared.
            try two.send("download \(rig.server.url("episode"))")
            try two.log.wait(for: "completed 1")
            #expect(one.log.events.count == 4)
            for app in [one, two] { await app.crash() }
        }
    }

    @Test("L5: the daemon is killed in the middle, comes back, and the app sees nothing but a pause")
    func killedDaemon() async throws {
        try await SessionRig.with(rate: 500_000) { rig in
            try rig.server.serve("episode", bytes: 2_000_000)
            try rig.server.serve("small", bytes: 1000)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("small"))")
            try app.log.wait(for: "completed 1")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "received 2")
            try rig.killDaemon()
            // An order that nobody is there to take is carried out all the same.
            try app.send("download \(rig.server.url("small"))")
            try app.log.wait(for: "completed 2")
            try app.log.wait(for: "completed 3")
            for line in ["downloaded 1 1000", "downloaded 2 2000000", "downloaded 3 1000"] {
                #expect(app.log.lines.count { $0.hasPrefix(line) } == 1, "\(line) in \(app.log.lines)")
            }
            #expect(app.log.lines.count { $0.hasPrefix("completed") } == 3)
            #expect(rig.server.requests().contains { $0.path == "/episode" && $0.range.hasPrefix("bytes=") })
            #expect(rig.server.requests().count { $0.path == "/small" } == 2)
            await app.crash()
        }
    }

    @Test("L5, E4: the app and the daemon are both killed before events were dealt with; they come again")
    func killedBoth() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 1")
            await app.crash()
            try rig.killDaemon()
            let next = try rig.app("next", "--session", "episodes")
            try next.log.wait(for: "finished")
            #expect(
                next.log.events.map(Self.short) == [
                    "opened episodes", "responded 1 200", "downloaded 1 1000", "completed 1 0", "finished",
                ])
            await next.crash()
        }
    }

    @Test("E4: killed before an event was dealt with, the daemon tells it again; the app that goes on hears of it once")
    func toldOnce() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 1")
            try rig.killDaemon()
            try app.send("acknowledge yes")
            // Its events come after those that come again.
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 2")
            // That all was told comes when the daemon is back, before or after the second task was handed over.
            let events = app.log.events.map(Self.short).filter { $0 != "finished" }
            #expect(
                events == [
                    "opened episodes", "responded 1 200", "downloaded 1 1000", "completed 1 0",
                    "responded 2 200", "downloaded 2 1000", "completed 2 0",
                ])
            try waitUntil("the second task's are dealt with", within: 60) {
                try rig.row()["waiting-events"] as? Int == 3
            }
            await app.crash()
            // What it has not dealt with is told to the next process.
            let next = try rig.app("next", "--session", "episodes")
            try next.log.wait(for: "finished")
            #expect(
                next.log.events.map(Self.short) == [
                    "opened episodes", "responded 1 200", "downloaded 1 1000", "completed 1 0", "finished",
                ])
            await next.crash()
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

    @Test("S2, L5: without a daemon, and nobody who could start one, opening says what to do")
    func noDaemon() async throws {
        let bus = try await PrivateBus()
        let folder = try TemporaryFolder()
        let log = AppLog(path: folder.path + "/log")
        let app = try RigProcess(
            [SessionRig.program, log.path, "--session", "episodes"], environment: bus.sessionEnvironment)
        let refusal = try log.wait(for: "refused")
        #expect(refusal.hasPrefix("refused unavailable"))
        #expect(refusal.contains("transferctl service install"))
        await app.end()
        await bus.end()
    }

    /// The words that are the same in each run.
    private static func short(_ line: String) -> String { line.split(separator: " ").prefix(3).joined(separator: " ") }
}
