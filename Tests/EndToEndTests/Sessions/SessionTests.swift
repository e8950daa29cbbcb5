// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Background sessions of real apps with a real daemon",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionTests {
    @Test("E3, E4: events arrive in order, 404 is a response, and acknowledged events are not repeated")
    func order() async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 300_000)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 1")
            try app.send("download \(fixture.server.url("missing"))")
            try await app.log.wait(for: "completed 2")
            let events = app.log.events.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
            #expect(
                events == [
                    "opened episodes", "responded 1 200", "downloaded 1 300000", "completed 1 0",
                    "responded 2 404", "downloaded 2 153", "completed 2 0",
                ])
            // The app writes an event's line before it acknowledges the event.
            try await waitUntil("the last event is acknowledged", within: 60) {
                try await fixture.row()["waiting-events"] as? Int == 0
            }
            await app.crash()
            // Every event was handled, so the next process receives none.
            let next = try fixture.app("next", "--session", "episodes")
            try await next.log.wait(for: "opened")
            try next.send("tasks")
            try await next.log.wait(for: "tasks")
            #expect(next.log.events == ["opened episodes", "tasks"])
            await next.crash()
        }
    }

    @Test("S4: a second process is rejected with the first one's PID, and gets the session after its end")
    func twoProcesses() async throws {
        try await SessionFixture.with { fixture in
            let first = try fixture.app("first", "--session", "episodes")
            try await first.log.wait(for: "opened")
            let second = try fixture.app("second", "--session", "episodes")
            let refusal = try await second.log.wait(for: "refused")
            #expect(refusal.hasPrefix("refused inUse \(first.process.id):"))
            #expect(refusal.contains("process \(first.process.id)"))
            await first.crash()
            try second.send("open episodes")
            try await second.log.wait(for: "opened")
            await second.crash()
        }
    }

    @Test("S1: two programs with the same identifier see nothing of each other")
    func twoPrograms() async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            let copy = fixture.daemon.program.folder.path + "/OtherApp"
            try FileManager.default.copyItem(atPath: SessionFixture.program, toPath: copy)
            let one = try fixture.app("one", "--session", "episodes")
            let two = try fixture.app("two", program: copy, "--session", "episodes")
            for app in [one, two] { try await app.log.wait(for: "opened") }
            try one.send("download \(fixture.server.url("episode"))")
            try await one.log.wait(for: "completed 1")
            try two.send("tasks")
            try await two.log.wait(for: "tasks")
            #expect(two.log.events == ["opened episodes", "tasks"])
            // Each app numbers its tasks from 1. The apps share nothing.
            try two.send("download \(fixture.server.url("episode"))")
            try await two.log.wait(for: "completed 1")
            #expect(one.log.events.count == 4)
            for app in [one, two] { await app.crash() }
        }
    }

    @Test("L5: the daemon is killed and restarted, and the app sees only a pause")
    func killedDaemon() async throws {
        try await SessionFixture.with(rate: 500_000) { fixture in
            try fixture.server.serve("episode", bytes: 2_000_000)
            try fixture.server.serve("small", bytes: 1000)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("download \(fixture.server.url("small"))")
            try await app.log.wait(for: "completed 1")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "received 2")
            try await fixture.killDaemon()
            // An action that is sent while no daemon runs is carried out later.
            try app.send("download \(fixture.server.url("small"))")
            try await app.log.wait(for: "completed 2")
            try await app.log.wait(for: "completed 3")
            for line in ["downloaded 1 1000", "downloaded 2 2000000", "downloaded 3 1000"] {
                #expect(app.log.lines.count { $0.hasPrefix(line) } == 1, "\(line) in \(app.log.lines)")
            }
            #expect(app.log.lines.count { $0.hasPrefix("completed") } == 3)
            #expect(fixture.server.requests().contains { $0.path == "/episode" && $0.range.hasPrefix("bytes=") })
            #expect(fixture.server.requests().count { $0.path == "/small" } == 2)
            await app.crash()
        }
    }

    @Test("L5, E4: events not handled before the app and the daemon are killed are delivered again")
    func killedBoth() async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 1")
            await app.crash()
            try await fixture.killDaemon()
            let next = try fixture.app("next", "--session", "episodes")
            try await next.log.wait(for: "finished")
            #expect(
                next.log.events.map(\.shortLine) == [
                    "opened episodes", "responded 1 200", "downloaded 1 1000", "completed 1 0", "finished",
                ])
            await next.crash()
        }
    }

    @Test("E4: a restarted daemon redelivers unhandled events; a running app gets each event once")
    func deliveredOnce() async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 1")
            try await fixture.killDaemon()
            try app.send("acknowledge yes")
            // The events of the second task come after the events that the daemon sends again.
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 2")
            // `finished` comes once the daemon is back, before or after the second task is submitted.
            let events = app.log.events.map(\.shortLine).filter { $0 != "finished" }
            #expect(
                events == [
                    "opened episodes", "responded 1 200", "downloaded 1 1000", "completed 1 0",
                    "responded 2 200", "downloaded 2 1000", "completed 2 0",
                ])
            try await waitUntil("the second task's events are acknowledged", within: 60) {
                try await fixture.row()["waiting-events"] as? Int == 3
            }
            await app.crash()
            // The next process receives the events that were not handled.
            let next = try fixture.app("next", "--session", "episodes")
            try await next.log.wait(for: "finished")
            #expect(
                next.log.events.map(\.shortLine) == [
                    "opened episodes", "responded 1 200", "downloaded 1 1000", "completed 1 0", "finished",
                ])
            await next.crash()
        }
    }

    @Test("S2, L5: opening a session fails with a hint if no daemon can be started")
    func noDaemon() async throws {
        let bus = try await PrivateBus()
        let folder = try TemporaryFolder()
        let log = AppLog(path: folder.path + "/log")
        let app = try FixtureProcess(
            [SessionFixture.program, log.path, "--session", "episodes"], environment: bus.sessionEnvironment)
        let refusal = try await log.wait(for: "refused")
        #expect(refusal.hasPrefix("refused unavailable"))
        #expect(refusal.contains("transferctl service install"))
        await app.end()
        await bus.end()
    }
}
