// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "The desktop is told of ends", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct NotificationTests {
    @Test("The end of what a person handed over is told, several in one note, and none where the setting is off")
    func told() async throws {
        let server = try NginxServer()
        try server.serve("a.bin", bytes: 1000)
        let rig = try await DaemonRig()
        let desktop = FakeNotifications()
        let result: Result<Void, any Error>
        do {
            try await desktop.start(address: rig.bus.address)
            try rig.run("add", server.url("a.bin"), "-o", rig.program.downloads + "/a<b>.bin", "--wait")
            try await until { await desktop.notes.count == 1 }
            let first = await desktop.notes[0]
            #expect(first.title == "Download finished")
            // Some notification servers interpret markup.
            #expect(first.body.hasSuffix("a&lt;b&gt;.bin"), "\(first.body)")
            try rig.run("add", server.url("x"), server.url("y"), "-d", rig.program.downloads, "--wait", status: 1)
            try await until { await desktop.notes.map(\.title).contains { $0.contains("failed") } }
            try await off(rig, server, desktop)
            result = .success(())
        } catch { result = .failure(error) }
        await desktop.stop()
        await rig.end()
        try result.get()
    }

    private func off(_ rig: DaemonRig, _ server: NginxServer, _ desktop: FakeNotifications) async throws {
        let folder = rig.program.folder.path + "/config/transferd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "notify = false\n".write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
        let process = try #require(try rig.process())
        kill(process, SIGTERM)
        try waitUntil("the daemon ends", within: 60) { kill(process, 0) != 0 }
        let before = await desktop.notes.count
        try rig.run("add", server.url("z"), "-d", rig.program.downloads, "--wait", status: 1)
        // With the setting back on, the next notification proves that no earlier one was sent.
        try "notify = true\n".write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
        kill(try #require(try rig.process()), SIGHUP)
        try rig.run("add", server.url("w"), "-d", rig.program.downloads, "--wait", status: 1)
        try await until { await desktop.notes.count > before }
        #expect(await desktop.notes[before].body.hasPrefix("w: "))
    }

    private func until(_ condition: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while await !condition() {
            guard ContinuousClock.now < deadline else { throw TestTrouble("the note did not come") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
