// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import HostileServer
import ProcessFixtures
import Synchronization
import Testing

@Suite(
    "C2: the library in a real Flatpak app",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"),
    .enabled(if: FlatpakApp.unavailabilityReason == nil, "\(FlatpakApp.unavailabilityReason ?? "")"))
struct SandboxedSessionTests {
    @Test("C2: it downloads and uploads although neither side can open the other's paths")
    func bothWays() async throws {
        let bodies = Mutex<[[UInt8]]>([])
        let inbox = try HostileServer { request, connection in
            guard let body = connection.readBody(of: request) else { return }
            bodies.withLock { $0.append(body) }
            connection.respond("201 Created")
        }
        defer { inbox.stop() }
        try await SessionFixture.with { fixture in
            let episode = FileManager.default.contents(atPath: try fixture.server.serve("episode", bytes: 200_000))
            let folder = fixture.daemon.program.folder.path
            let moveFolder = folder + "/received"
            for path in [moveFolder, folder + "/flatpak"] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            let flatpak = try await FlatpakApp(folder: folder + "/flatpak", program: SessionFixture.program)
            let log = AppLog(path: moveFolder + "/log")
            // Of the user's files, the app sees only this folder, for its log and its moved download.
            let words = flatpak.command(
                ["--share=network", "--filesystem=\(moveFolder)"],
                arguments: [log.path, "--session", "episodes", "--move", moveFolder])
            let process = try FixtureProcess(words, environment: fixture.daemon.program.environment)
            let app = App(process: process, log: log)
            try await log.wait(for: "opened")
            try app.send("download \(fixture.server.url("episode"))")
            let line = try await log.wait(for: "downloaded 1 200000 ")
            let path = String(line.split(separator: " ").last ?? "")
            #expect(!FileManager.default.fileExists(atPath: path), "the file should exist only in the sandbox")
            try await log.wait(for: "moved 1")
            try await log.wait(for: "completed 1 0")
            #expect(FileManager.default.contents(atPath: moveFolder + "/1") == episode)

            // The file is in the sandbox's own /tmp, which no other process sees.
            let text = "written-in-the-sandbox"
            try app.send("write /tmp/upload-of-the-sandbox \(text)")
            try await log.wait(for: "wrote")
            #expect(!FileManager.default.fileExists(atPath: "/tmp/upload-of-the-sandbox"))
            try app.send("upload /tmp/upload-of-the-sandbox \(inbox.url("/inbox"))")
            try await log.wait(for: "completed 2 0")
            #expect(bodies.withLock { $0 } == [Array(text.utf8)])

            let row = try await fixture.row(of: HostileFixture.sandboxedApp)
            #expect(row["sessions"] as? [String] == ["episodes"], "\(row)")
            await process.end()
        }
    }
}
