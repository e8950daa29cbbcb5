// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Background sessions of real apps with a real daemon",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionTests {
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
