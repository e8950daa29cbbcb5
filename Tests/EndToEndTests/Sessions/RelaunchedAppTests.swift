// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "Starting real apps over a real daemon, again and again", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct RelaunchedAppTests {
    /// The times at which the app was relaunched, in seconds since 1970.
    private func starts(_ log: AppLog) -> [Double] {
        log.lines.filter { $0.hasPrefix("began ") }.dropFirst().compactMap { line in
            line.split(separator: " ").dropFirst(3).first.flatMap { Double($0) }
        }
    }

    @Test("R4, R5: ten tasks, each given by the app that was started for the one before, across the daemon's restarts")
    func oneByOne() async throws {
        let (count, first, longest) = (10, 1, 8)
        try await SessionRig.with { rig in
            try rig.configure("relaunch-delay = \(first)\nrelaunch-delay-limit = \(longest)\n")
            try rig.server.serve("episode", bytes: 1000)
            let chain = ["--chain", "\(count)", rig.server.url("episode")]
            let app = try rig.app(
                "app", ["--session", "s", "--relaunch", SessionRig.program, rig.log("app").path] + chain)
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "submitted 1")
            await app.crash()
            for number in [2, 4] {
                try app.log.wait(for: "ended", count: number)
                try rig.killDaemon()
                // The app has ended. Only a command of the user brings the daemon back.
                try rig.waitForEndOfDaemon()
                let due = min(first << (number - 1), longest)
                #expect(try rig.limiterDelay(atLeast: due) >= due)
            }
            try app.log.wait(for: "ended", count: count, within: 240)
            #expect(app.log.lines.filter { $0.hasPrefix("completed ") } == (1...count).map { "completed \($0) 0" })
            let requests = rig.server.requests().map(\.began)
            #expect(requests.count == count)
            // A delay begins when the daemon starts the app. The app logs its start only after it has come up, which
            // takes time on a busy machine.
            for (place, (start, request)) in zip(starts(app.log), requests.dropFirst()).enumerated() {
                let (waited, delay) = (request - start, Double(min(first << place, longest)))
                #expect(waited > delay / 2, "task \(place + 2) began \(waited) s after start \(place + 1)")
            }
            #expect(try rig.limiterDelay(atLeast: 1) == longest)
            #expect(try rig.row()["failures"] as? Int == 0)
        }
    }

    @Test("R5, R3: the app that was started is there when the daemon comes back, and counts as no person's doing")
    func comesBack() async throws {
        try await SessionRig.with { rig in
            try rig.configure("relaunch-delay = 3600\n")
            try rig.server.serve("episode", bytes: 1000)
            let app = try rig.app(
                "app", "--session", "s", "--relaunch", SessionRig.program, rig.log("app").path, "--stays")
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "submitted 1")
            await app.crash()
            try app.log.wait(for: "finished")
            defer { app.log.killAll() }
            #expect(try rig.row()["front"] as? Bool == false)
            #expect(try rig.limiterDelay(atLeast: 1) == 3600)
            try rig.killDaemon()
            try waitUntil("it has its session again", within: 60) {
                // A daemon that was just killed may still be queried, but does not answer.
                (try? rig.row())?["connected"] as? Bool == true
            }
            #expect(try rig.row()["front"] as? Bool == false)
            #expect(try rig.limiterDelay(atLeast: 1) == 3600)
        }
    }

    @Test("S8: a helper's session starts the app that is registered for their container, which has it then")
    func container() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            let log = rig.log("app")
            let app = try rig.app(
                "app",
                ["--session", "own", "--registers", "group", "--relaunch", SessionRig.program, log.path]
                    + ["--container", "group"])
            try app.log.wait(for: "opened own")
            await app.crash()
            // Another program, which is identified by its path, as is any app without a name.
            let copy = rig.daemon.program.folder.path + "/Helper"
            try FileManager.default.copyItem(atPath: SessionRig.program, toPath: copy)
            let helper = try rig.app("helper", program: copy, ["--session", "shared", "--container", "group"])
            try helper.log.wait(for: "opened shared")
            // The helper handles the end of its first task itself, so no other app hears of the end.
            try helper.send("download \(rig.server.url("episode"))")
            try helper.log.wait(for: "submitted 1")
            try helper.log.wait(for: "completed 1")
            try helper.send("acknowledge no")
            try helper.send("download \(rig.server.url("episode"))")
            try helper.log.wait(for: "completed 2")
            await helper.crash()
            try log.wait(for: "ended")
            #expect(log.lines.contains { $0.hasPrefix("began ") && $0.hasSuffix(" for shared") })
            #expect(log.lines.contains { $0.hasPrefix("downloaded 2 1000 ") && $0.contains("/cache/group/") })
            #expect(!log.lines.contains { $0.hasPrefix("completed 1") })
            #expect(try rig.row()["launches"] as? Int == 1)
            #expect(!helper.log.lines.contains { $0.hasPrefix("failed") })
        }
    }
}

extension SessionRig {
    /// Waits until the app's relaunch delay is at least `least` seconds, and returns the delay in seconds.
    fileprivate func limiterDelay(atLeast least: Int) throws -> Int {
        var delay = 0
        try waitUntil("a delay of \(least) s", within: 60) {
            let rows = (try? daemon.json("limiter"))?["limiters"] as? [[String: Any]] ?? []
            delay = rows.first { $0["app"] as? String == SessionRig.program }?["delay"] as? Int ?? 0
            return delay >= least
        }
        return delay
    }
}
