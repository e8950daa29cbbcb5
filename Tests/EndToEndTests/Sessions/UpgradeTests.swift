// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "C4: programs replaced during transfers",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct UpgradeTests {
    private func install(in folder: String) throws {
        try InstalledPrograms(folder: folder).install("transferd", "transferctl", "transfer-worker", "SessionApp")
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
            try await log.wait(for: "opened")
            try app.send("download \(fixture.server.url("app-before"))")
            let first = try await fixture.daemon.run("add", fixture.server.url("before"))
            try await log.wait(for: "received 1")
            try await waitUntil("both run", within: 60) { try await fixture.daemon.state(of: first) == "running" }

            let daemon = try #require(try await fixture.daemon.process())
            try install(in: programs.path)
            #expect(try executable(of: daemon).hasSuffix("/transferd (deleted)"))
            #expect(try executable(of: app.process.id).hasSuffix("/SessionApp (deleted)"))
            // The user runs the new `transferctl` with the old daemon, and the old app still has its session.
            let second = try await fixture.daemon.run("add", fixture.server.url("after"))
            #expect(try await fixture.daemon.run("list", "--all").contains("app-before"))
            try app.send("download \(fixture.server.url("app-after"))")
            try await log.wait(for: "submitted 2")

            // The daemon is ended as in an upgrade, and the next command starts the new daemon.
            kill(daemon, SIGTERM)
            try await waitForEnd(of: daemon)
            await app.crash()
            for id in [first, second] {
                try await waitUntil("\(id) has finished", within: 120) {
                    try await fixture.daemon.state(of: id) == "finished"
                }
            }
            let new = try #require(try await fixture.daemon.process())
            #expect(try executable(of: new) == programs.path + "/transferd")
            for name in ["before", "after"] {
                let path = fixture.daemon.program.downloads + "/" + name
                #expect(FileManager.default.contents(atPath: path) == files[name])
            }
            // The daemon starts the app from its new file.
            try await log.wait(for: "moved 1")
            try await log.wait(for: "moved 2")
            #expect(FileManager.default.contents(atPath: moveFolder + "/1") == files["app-before"])
            #expect(FileManager.default.contents(atPath: moveFolder + "/2") == files["app-after"])
            try await log.wait(for: "completed 1 0")
            try await log.wait(for: "completed 2 0")
            #expect(log.lines.filter { $0.hasPrefix("began ") }.count == 2, "\(log.lines)")
        }
    }
}
