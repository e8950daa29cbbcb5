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
            // The app writes an event's line before it acknowledges the event.
            try waitUntil("the last is dealt with", within: 60) { try rig.row()["waiting-events"] as? Int == 0 }
            await app.crash()
            // Every event was handled, so the next process receives none.
            let next = try rig.app("next", "--session", "episodes")
            try next.log.wait(for: "opened")
            try next.send("tasks")
            try next.log.wait(for: "tasks")
            #expect(next.log.events == ["opened episodes", "tasks"])
            await next.crash()
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
            // Each app numbers its tasks from 1. The apps share nothing.
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
            // An action that is sent while no daemon runs is carried out later.
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
                next.log.events.map(\.shortLine) == [
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
            // The events of the second task come after the events that the daemon sends again.
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 2")
            // `finished` comes once the daemon is back, before or after the second task is submitted.
            let events = app.log.events.map(\.shortLine).filter { $0 != "finished" }
            #expect(
                events == [
                    "opened episodes", "responded 1 200", "downloaded 1 1000", "completed 1 0",
                    "responded 2 200", "downloaded 2 1000", "completed 2 0",
                ])
            try waitUntil("the second task's are dealt with", within: 60) {
                try rig.row()["waiting-events"] as? Int == 3
            }
            await app.crash()
            // The next process receives the events that were not handled.
            let next = try rig.app("next", "--session", "episodes")
            try next.log.wait(for: "finished")
            #expect(
                next.log.events.map(\.shortLine) == [
                    "opened episodes", "responded 1 200", "downloaded 1 1000", "completed 1 0", "finished",
                ])
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
}
