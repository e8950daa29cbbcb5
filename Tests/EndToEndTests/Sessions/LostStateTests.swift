// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "A lost queue",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct LostStateTests {
    @Test("L5, E4: the app learns which tasks are lost and can add others; the user is informed")
    func damaged() async throws {
        try await SessionFixture.with(rate: 100_000) { fixture in
            try fixture.server.serve("short", bytes: 1000)
            try fixture.server.serve("long", bytes: 100_000_000)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("download \(fixture.server.url("short"))")
            try await app.log.wait(for: "completed 1 0")
            try app.send("download \(fixture.server.url("long"))")
            try await app.log.wait(for: "received 2")
            // A running app would restart the daemon immediately.
            kill(app.process.id, SIGSTOP)
            try await fixture.killDaemon()
            try await fixture.waitForEndOfDaemon()
            let queue = fixture.daemon.program.folder.path + "/state/transferd/queue.sqlite"
            for suffix in ["-wal", "-shm", ".backup"] { unlink(queue + suffix) }
            try Data("these are other bytes".utf8).write(to: URL(fileURLWithPath: queue))
            kill(app.process.id, SIGCONT)
            try await app.log.wait(for: "completed 2 -997")
            try app.send("download \(fixture.server.url("short"))")
            try await app.log.wait(for: "completed 3 0")
            #expect(app.log.lines.count { $0.hasPrefix("completed ") } == 3)
            let lost = try await fixture.daemon.json("service", "status")["lost"] as? [String: Any]
            #expect((lost?["file"] as? String)?.hasPrefix(queue + ".damaged-") == true)
            #expect(lost?["backup"] == nil)
            #expect(try await fixture.daemon.run("service", "status").contains("must be submitted again"))
            await app.crash()
        }
    }
}
