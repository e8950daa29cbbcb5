// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Delayed tasks with a date that the user changes",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct DelayedTaskTests {
    /// Commands of the user, and kills of the daemon.
    struct Change: CustomTestStringConvertible {
        static let kill = ["kill"]
        var commands: [[String]]
        var isAppGone = true

        var testDescription: String { commands.map { $0.joined(separator: " ") }.joined(separator: ", ") }
    }

    @Test(
        "T3: if the user changes a task's date or starts the task, its app receives a request, after a start if needed",
        arguments: [
            Change(commands: [["set", "1", "not-before=+1s"]]),
            Change(commands: [["set", "1", "not-before=+1s"]], isAppGone: false),
            Change(commands: [["set", "1", "not-before=+1s"], Change.kill]),
            Change(commands: [["pause", "1"], ["set", "1", "not-before=+1s"], Change.kill, ["resume", "1"]]),
            Change(commands: [["now", "1"]]),
            Change(commands: [["now", "1"]], isAppGone: false),
            Change(commands: [["set", "1", "not-before=+600s"], Change.kill, ["now", "1"]]),
            Change(commands: [["now", "1"], Change.kill]),
        ])
    func changed(by change: Change) async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            let app = try fixture.app("app", "--session", "episodes", "--relaunch")
            defer { app.log.killAll() }
            try await app.log.wait(for: "opened")
            try app.send("later 3600 \(fixture.server.url("episode"))")
            try await app.log.wait(for: "submitted 1")
            if change.isAppGone { await app.crash() }
            for command in change.commands {
                guard command == Change.kill else {
                    let result = try await fixture.daemon.program.run(command)
                    #expect(result.status == 0, "\(result.run.errors)")
                    continue
                }
                try await fixture.waitForEnd(ofDaemon: try await fixture.killDaemon())
                // A command makes the bus start the daemon.
                try await fixture.daemon.run("list")
            }
            try await app.log.wait(for: "completed 1 0", within: 60)
            #expect(app.log.lines.contains { $0.hasPrefix("willbegin 1") })
        }
    }
}
