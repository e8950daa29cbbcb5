// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import HostileServer
import Synchronization
import Testing

@Suite(
    "C2: the library in a real Flatpak app", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"),
    .enabled(if: FlatpakApp.unavailabilityReason == nil, "\(FlatpakApp.unavailabilityReason ?? "")"))
struct SandboxedSessionTests {
    @Test("C2: it gets its download and sends a file of its own, though neither side can open the other's paths")
    func bothWays() async throws {
        let bodies = Mutex<[[UInt8]]>([])
        let inbox = try HostileServer { request, connection in
            guard let body = connection.readBody(of: request) else { return }
            bodies.withLock { $0.append(body) }
            connection.answer("201 Created")
        }
        defer { inbox.stop() }
        try await SessionRig.with { rig in
            let episode = FileManager.default.contents(atPath: try rig.server.serve("episode", bytes: 200_000))
            let folder = rig.daemon.program.folder.path
            let place = folder + "/told"
            for path in [place, folder + "/flatpak"] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            let flatpak = try FlatpakApp(folder: folder + "/flatpak", program: SessionRig.program)
            let log = AppLog(path: place + "/log")
            // Of the user's files, the app sees only this folder, for its log and its moved download.
            let words = flatpak.command(
                ["--filesystem=\(place)"], arguments: [log.path, "--session", "episodes", "--move", place])
            let process = try RigProcess(words, environment: rig.daemon.program.environment)
            let app = App(process: process, log: log)
            try log.wait(for: "opened")
            try app.send("download \(rig.server.url("episode"))")
            let line = try log.wait(for: "downloaded 1 200000 ")
            let path = String(line.split(separator: " ").last ?? "")
            #expect(!FileManager.default.fileExists(atPath: path), "it is a file of the sandbox's own")
            try log.wait(for: "moved 1")
            try log.wait(for: "completed 1 0")
            #expect(FileManager.default.contents(atPath: place + "/1") == episode)

            // The file is in the sandbox's own /tmp, which no other process sees.
            let text = "written-in-the-sandbox"
            try app.send("write /tmp/upload-of-the-sandbox \(text)")
            try log.wait(for: "wrote")
            #expect(!FileManager.default.fileExists(atPath: "/tmp/upload-of-the-sandbox"))
            try app.send("upload /tmp/upload-of-the-sandbox \(inbox.url("/inbox"))")
            try log.wait(for: "completed 2 0")
            #expect(bodies.withLock { $0 } == [Array(text.utf8)])

            let row = try rig.row(of: HostileRig.sandboxedApp)
            #expect(row["sessions"] as? [String] == ["episodes"], "\(row)")
            await process.end()
        }
    }
}
