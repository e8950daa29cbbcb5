// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import HostileServer
import Synchronization
import Testing

@Suite(
    "C5: files of uploads, and what apps take of the disk", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct KeptUploadTests {
    @Test("C5, L5: the app removes its file right after resume(), the daemon is killed, and the upload ends right")
    func kill() async throws {
        let bodies = Mutex<[[UInt8]]>([])
        let server = try HostileServer { request, connection in
            guard let body = connection.readBody(of: request) else { return }
            guard request.method == "POST" else {
                // The client asks whether the server can resume an interrupted upload.
                connection.answer("204 No Content", ["Allow: POST"])
                return
            }
            bodies.withLock { $0.append(body) }
            connection.answer("201 Created")
        }
        defer { server.stop() }
        try await SessionRig.with { rig in
            let file = rig.daemon.program.folder.path + "/upload"
            try RandomFile.write(file, bytes: 300_000, seed: 3)
            let sent = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            // Nothing starts until the release, so the kill comes first.
            try rig.daemon.run("hold")
            try app.send("upload \(file) \(server.url("/inbox"))")
            try app.log.wait(for: "submitted 1")
            try FileManager.default.removeItem(atPath: file)
            #expect(try Self.sources(of: rig).count == 1)
            #expect(try rig.row()["source-files"] as? Int == 1)
            #expect(try rig.row()["source-bytes"] as? Int == 300_000)
            try rig.waitForEnd(ofDaemon: try rig.killDaemon())
            try rig.daemon.run("release")
            try app.log.wait(for: "completed 1")
            #expect(app.log.events.last == "completed 1 0")
            let isWhole = bodies.withLock { $0 == [sent] }
            #expect(isWhole, "the server got other bytes")
            try waitUntil("the kept file is gone", within: 60) { try Self.sources(of: rig).isEmpty }
            #expect(try rig.row()["source-bytes"] as? Int == 0)
            await app.crash()
        }
    }

    @Test("C5: a task beyond the app's quota is refused by its number of bytes, and 'apps' shows what is there")
    func quota() async throws {
        try await SessionRig.with { rig in
            try rig.configure("files-per-app = 250000\n")
            try rig.server.serve("episode", bytes: 200_000)
            let file = rig.daemon.program.folder.path + "/upload"
            try RandomFile.write(file, bytes: 60_000, seed: 3)
            let app = try rig.app("app", "--session", "episodes")
            try app.log.wait(for: "opened")
            try app.send("acknowledge no")
            try app.send("download \(rig.server.url("episode"))")
            try app.log.wait(for: "completed 1 0")
            let row = try rig.row()
            #expect(row["finished-files"] as? Int == 1)
            #expect(row["finished-bytes"] as? Int == 200_000)
            #expect(row["counted-bytes"] as? Int == 200_000)
            #expect(row["bytes-limit"] as? Int == 250_000)
            #expect(try rig.daemon.run("apps").contains("FINISHED"))
            // The daemon's sum of bytes may be up to one second old.
            sleep(1)
            try app.send("upload \(file) \(rig.server.url("inbox"))")
            try app.log.wait(for: "completed 2 -1")
            #expect(try Self.sources(of: rig).isEmpty)
            await app.crash()
        }
    }

    /// The names of the kept files.
    private static func sources(of rig: SessionRig) throws -> [String] {
        guard let state = try rig.daemon.json("service", "status")["state"] as? String else {
            throw TestTrouble("the daemon does not say where its state is")
        }
        return (try? FileManager.default.contentsOfDirectory(atPath: state + "/sources")) ?? []
    }
}
