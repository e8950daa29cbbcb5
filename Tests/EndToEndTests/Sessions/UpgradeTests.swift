// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import Testing

@Suite(
    "C4: programs replaced during transfers", .inTurn, .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct UpgradeTests {
    private static let programs = ["transferd", "transferctl", "transfer-worker", "SessionApp"]

    /// Replaces the programs' files as a package manager does. Running programs continue with their old files.
    private func install(in folder: String) throws {
        let built = URL(fileURLWithPath: Transferctl.path).deletingLastPathComponent().path
        for name in Self.programs {
            try FileManager.default.copyItem(atPath: "\(built)/\(name)", toPath: "\(folder)/\(name).new")
            #expect(rename("\(folder)/\(name).new", "\(folder)/\(name)") == 0)
        }
    }

    private func executable(of process: pid_t) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    }

    @Test(
        "C4: all programs are replaced at the same time; nothing is lost, and the app is recognized"
    )
    func all() async throws {
        let programs = try TemporaryFolder()
        try install(in: programs.path)
        let own = programs.path + "/SessionApp"
        try await SessionFixture.with(rate: 100_000, programs: programs.path) { fixture in
            var files: [String: Data?] = [:]
            for (number, name) in ["app-before", "app-after", "before", "after"].enumerated() {
                let path = try fixture.server.serve(name, bytes: 700_000, seed: UInt64(number))
                files[name] = FileManager.default.contents(atPath: path)
            }
            let moveFolder = fixture.daemon.program.folder.path + "/received"
            try FileManager.default.createDirectory(atPath: moveFolder, withIntermediateDirectories: true)
            let log = fixture.log("app")
            let app = try fixture.app(
                "app", program: own,
                ["--session", "s", "--move", moveFolder, "--relaunch", own, log.path, "--move", moveFolder])
            try log.wait(for: "opened")
            try app.send("download \(fixture.server.url("app-before"))")
            let first = try fixture.daemon.run("add", fixture.server.url("before"))
            try log.wait(for: "received 1")
            try waitUntil("both run", within: 60) { try fixture.daemon.state(of: first) == "running" }

            let daemon = try #require(try fixture.daemon.process())
            try install(in: programs.path)
            #expect(try executable(of: daemon).hasSuffix("/transferd (deleted)"))
            #expect(try executable(of: app.process.id).hasSuffix("/SessionApp (deleted)"))
            // The user runs the new `transferctl` with the old daemon, and the old app still has its session.
            let second = try fixture.daemon.run("add", fixture.server.url("after"))
            #expect(try fixture.daemon.run("list", "--all").contains("app-before"))
            try app.send("download \(fixture.server.url("app-after"))")
            try log.wait(for: "submitted 2")

            // The daemon is ended as in an upgrade, and the next command starts the new daemon.
            kill(daemon, SIGTERM)
            try waitUntil("the old daemon ends", within: 60) { kill(daemon, 0) != 0 }
            await app.crash()
            for id in [first, second] {
                try waitUntil("\(id) has finished", within: 120) { try fixture.daemon.state(of: id) == "finished" }
            }
            let new = try #require(try fixture.daemon.process())
            #expect(try executable(of: new) == programs.path + "/transferd")
            for name in ["before", "after"] {
                let path = fixture.daemon.program.downloads + "/" + name
                #expect(FileManager.default.contents(atPath: path) == files[name])
            }
            // The daemon starts the app from its new file.
            try log.wait(for: "moved 1")
            try log.wait(for: "moved 2")
            #expect(FileManager.default.contents(atPath: moveFolder + "/1") == files["app-before"])
            #expect(FileManager.default.contents(atPath: moveFolder + "/2") == files["app-after"])
            try log.wait(for: "completed 1 0")
            try log.wait(for: "completed 2 0")
            #expect(log.lines.filter { $0.hasPrefix("began ") }.count == 2, "\(log.lines)")
        }
    }
}
