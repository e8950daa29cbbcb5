// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "A queue that is lost", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct LostStateTests {
    @Test("L5, E4: an app is told which tasks are lost, and goes on with others; the person is told, too")
    func damaged() async throws {
        try await SessionRig.with(rate: 100_000) { rig in
            try rig.server.serve("short", bytes: 1000)
            try rig.server.serve("long", bytes: 100_000_000)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("download \(rig.server.url("short"))")
            try app.log.wait(for: "completed 1 0")
            try app.send("download \(rig.server.url("long"))")
            try app.log.wait(for: "received 2")
            // A running app would start the daemon again at once.
            kill(app.process.id, SIGSTOP)
            try rig.killDaemon()
            try rig.waitForEndOfDaemon()
            let queue = rig.daemon.program.folder.path + "/state/transferd/queue.sqlite"
            for suffix in ["-wal", "-shm", ".backup"] { unlink(queue + suffix) }
            try Data("these are other bytes".utf8).write(to: URL(fileURLWithPath: queue))
            kill(app.process.id, SIGCONT)
            try app.log.wait(for: "completed 2 -997")
            try app.send("download \(rig.server.url("short"))")
            try app.log.wait(for: "completed 3 0")
            #expect(app.log.lines.count { $0.hasPrefix("completed ") } == 3)
            let lost = try rig.daemon.json("service", "status")["lost"] as? [String: Any]
            #expect((lost?["file"] as? String)?.hasPrefix(queue + ".damaged-") == true)
            #expect(lost?["backup"] == nil)
            #expect(try rig.daemon.run("service", "status").contains("has to be handed over again"))
            await app.crash()
        }
    }
}
