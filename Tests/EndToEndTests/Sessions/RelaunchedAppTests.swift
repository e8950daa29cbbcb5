// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Repeated launches of real apps by a real daemon",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct RelaunchedAppTests {
    /// The times at which the app was relaunched, in seconds since 1970.
    private func starts(_ log: AppLog) -> [Double] {
        log.lines.filter { $0.hasPrefix("began ") }.dropFirst().compactMap { line in
            line.split(separator: " ").dropFirst(3).first.flatMap { Double($0) }
        }
    }

    @Test("R4, R5: ten tasks, each added by the app launched for the previous one, across daemon restarts")
    func oneByOne() async throws {
        let (count, first, longest) = (10, 1, 8)
        try await SessionFixture.with { fixture in
            try fixture.configure("relaunch-delay = \(first)\nrelaunch-delay-limit = \(longest)\n")
            try fixture.server.serve("episode", bytes: 1000)
            let chain = ["--chain", "\(count)", fixture.server.url("episode")]
            let app = try fixture.app(
                "app", ["--session", "s", "--relaunch", SessionFixture.program, fixture.log("app").path] + chain)
            try await app.log.wait(for: "opened")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "submitted 1")
            await app.crash()
            for number in [2, 4] {
                try await app.log.wait(for: "ended", count: number)
                try await fixture.killDaemon()
                // The app has ended. Only a command of the user brings the daemon back.
                try await fixture.waitForEndOfDaemon()
                let due = min(first << (number - 1), longest)
                #expect(try await fixture.limiterDelay(atLeast: due) >= due)
            }
            try await app.log.wait(for: "ended", count: count, within: 240)
            #expect(app.log.lines.filter { $0.hasPrefix("completed ") } == (1...count).map { "completed \($0) 0" })
            let requests = fixture.server.requests().map(\.began)
            #expect(requests.count == count)
            // A delay begins when the daemon starts the app. The app logs its start only after it has come up, which
            // takes time on a busy machine.
            for (index, (start, request)) in zip(starts(app.log), requests.dropFirst()).enumerated() {
                let (waited, delay) = (request - start, Double(min(first << index, longest)))
                #expect(waited > delay / 2, "task \(index + 2) began \(waited) s after start \(index + 1)")
            }
            #expect(try await fixture.limiterDelay(atLeast: 1) == longest)
            #expect(try await fixture.row()["failures"] as? Int == 0)
        }
    }

    @Test("R5, R3: a launched app reconnects to a restarted daemon and does not count as started by the user")
    func comesBack() async throws {
        try await SessionFixture.with { fixture in
            try fixture.configure("relaunch-delay = 3600\n")
            try fixture.server.serve("episode", bytes: 1000)
            let app = try fixture.app(
                "app", "--session", "s", "--relaunch", SessionFixture.program, fixture.log("app").path, "--stays")
            try await app.log.wait(for: "opened")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "submitted 1")
            await app.crash()
            try await app.log.wait(for: "finished")
            defer { app.log.killAll() }
            #expect(try await fixture.row()["front"] as? Bool == false)
            #expect(try await fixture.limiterDelay(atLeast: 1) == 3600)
            try await fixture.killDaemon()
            try await waitUntil("the app has its session again", within: 60) {
                // A daemon that was just killed may still be queried, but does not respond.
                (try? await fixture.row())?["connected"] as? Bool == true
            }
            #expect(try await fixture.row()["front"] as? Bool == false)
            #expect(try await fixture.limiterDelay(atLeast: 1) == 3600)
        }
    }

    @Test("S8: a helper's session launches the app registered for the container, which then has the session")
    func container() async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            let log = fixture.log("app")
            let app = try fixture.app(
                "app",
                ["--session", "own", "--registers", "group", "--relaunch", SessionFixture.program, log.path]
                    + ["--container", "group"])
            try await app.log.wait(for: "opened own")
            await app.crash()
            // Another program, which is identified by its path, as is any app without a name.
            let copy = fixture.daemon.program.folder.path + "/Helper"
            try FileManager.default.copyItem(atPath: SessionFixture.program, toPath: copy)
            let helper = try fixture.app("helper", program: copy, ["--session", "shared", "--container", "group"])
            try await helper.log.wait(for: "opened shared")
            // The helper handles the end of its first task itself, so no other app hears of the end.
            try helper.send("download \(fixture.server.url("episode"))")
            try await helper.log.wait(for: "submitted 1")
            try await helper.log.wait(for: "completed 1")
            try helper.send("acknowledge no")
            try helper.send("download \(fixture.server.url("episode"))")
            try await helper.log.wait(for: "completed 2")
            await helper.crash()
            try await log.wait(for: "ended")
            #expect(log.lines.contains { $0.hasPrefix("began ") && $0.hasSuffix(" for shared") })
            #expect(log.lines.contains { $0.hasPrefix("downloaded 2 1000 ") && $0.contains("/cache/group/") })
            #expect(!log.lines.contains { $0.hasPrefix("completed 1") })
            #expect(try await fixture.row()["launches"] as? Int == 1)
            #expect(!helper.log.lines.contains { $0.hasPrefix("failed") })
        }
    }
}

extension SessionFixture {
    /// Waits until the app's relaunch delay is at least `least` seconds, and returns the delay in seconds.
    fileprivate func limiterDelay(atLeast least: Int) async throws -> Int {
        var delay = 0
        try await waitUntil("a delay of \(least) s", within: 60) {
            let rows = (try? await daemon.json("apps"))?["limiters"] as? [[String: Any]] ?? []
            delay = rows.first { $0["app"] as? String == SessionFixture.program }?["delay"] as? Int ?? 0
            return delay >= least
        }
        return delay
    }
}
