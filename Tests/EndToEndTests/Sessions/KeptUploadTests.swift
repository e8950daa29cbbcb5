// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import HostileServer
import ProcessFixtures
import Synchronization
import Testing

@Suite(
    "C5: files of uploads, and disk usage of apps",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct KeptUploadTests {
    @Test(
        "C5, L5: an upload survives the removal of its file after resume() and a kill of the daemon",
        arguments: [false, true])
    func kill(withAppGone isAppGone: Bool) async throws {
        let bodies = Mutex<[[UInt8]]>([])
        let server = try HostileServer { request, connection in
            guard let body = connection.readBody(of: request) else { return }
            guard request.method == "POST" else {
                // This request finds out whether the server can resume an interrupted upload.
                connection.respond("204 No Content", ["Allow: POST"])
                return
            }
            bodies.withLock { $0.append(body) }
            connection.respond("201 Created")
        }
        defer { server.stop() }
        try await SessionFixture.with { fixture in
            let file = fixture.daemon.program.folder.path + "/upload"
            try RandomFile.write(file, bytes: 300_000, seed: 3)
            let sent = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
            let app = try fixture.app("app", "--session", "episodes", "--relaunch")
            defer { app.log.killAll() }
            try await app.log.wait(for: "opened")
            // Nothing starts until the release, so the kill comes first.
            try await fixture.daemon.run("hold")
            try app.send("upload \(file) \(server.url("/inbox"))")
            try await app.log.wait(for: "submitted 1")
            try FileManager.default.removeItem(atPath: file)
            if isAppGone { await app.crash() }
            #expect(try await Self.sources(of: fixture).count == 1)
            #expect(try await fixture.row()["source-files"] as? Int == 1)
            #expect(try await fixture.row()["source-bytes"] as? Int == 300_000)
            try await fixture.waitForEnd(ofDaemon: try await fixture.killDaemon())
            try await fixture.daemon.run("release")
            try await app.log.wait(for: "completed 1")
            #expect(app.log.events.contains("completed 1 0"))
            let isWhole = bodies.withLock { $0 == [sent] }
            #expect(isWhole, "the server received different bytes")
            try await waitUntil("the kept file is removed", within: 60) { try await Self.sources(of: fixture).isEmpty }
            #expect(try await fixture.row()["source-bytes"] as? Int == 0)
            await app.crash()
        }
    }

    @Test("C5: a task beyond the app's byte quota is rejected, and 'apps' shows the usage")
    func quota() async throws {
        try await SessionFixture.with { fixture in
            try fixture.configure("files-per-app = 250000\n")
            try fixture.server.serve("episode", bytes: 200_000)
            let file = fixture.daemon.program.folder.path + "/upload"
            try RandomFile.write(file, bytes: 60_000, seed: 3)
            let app = try fixture.app("app", "--session", "episodes")
            try await app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "completed 1 0")
            let row = try await fixture.row()
            #expect(row["finished-files"] as? Int == 1)
            #expect(row["finished-bytes"] as? Int == 200_000)
            #expect(row["counted-bytes"] as? Int == 200_000)
            #expect(row["bytes-limit"] as? Int == 250_000)
            #expect(try await fixture.daemon.run("apps").contains("FINISHED"))
            // The daemon's sum of bytes may be up to one second old.
            try await Task.sleep(for: .seconds(1))
            try app.send("upload \(file) \(fixture.server.url("inbox"))")
            try await app.log.wait(for: "completed 2 -1")
            #expect(try await Self.sources(of: fixture).isEmpty)
            await app.crash()
        }
    }

    /// The names of the kept files.
    private static func sources(of fixture: SessionFixture) async throws -> [String] {
        guard let state = try await fixture.daemon.json("service", "status")["state"] as? String else {
            throw FixtureError("service status has no state folder")
        }
        return (try? FileManager.default.contentsOfDirectory(atPath: state + "/sources")) ?? []
    }
}
