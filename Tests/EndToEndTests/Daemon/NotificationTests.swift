// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import Testing

@Suite(
    "Desktop notifications of ended transfers", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct NotificationTests {
    @Test("The user's transfers get notifications, grouped if several end together, and none if turned off")
    func notifies() async throws {
        let server = try NginxServer()
        try server.serve("a.bin", bytes: 1000)
        let fixture = try await DaemonFixture()
        let desktop = FakeNotifications()
        let result: Result<Void, any Error>
        do {
            try await desktop.start(address: fixture.bus.address)
            try fixture.run("add", server.url("a.bin"), "-o", fixture.program.downloads + "/a<b>.bin", "--wait")
            try await until { await desktop.notifications.count == 1 }
            let first = await desktop.notifications[0]
            #expect(first.title == "Download finished")
            // Some notification servers interpret markup.
            #expect(first.body.hasSuffix("a&lt;b&gt;.bin"), "\(first.body)")
            try fixture.run(
                "add", server.url("x"), server.url("y"), "-d", fixture.program.downloads, "--wait", status: 1)
            try await until { await desktop.notifications.map(\.title).contains { $0.contains("failed") } }
            try await off(fixture, server, desktop)
            result = .success(())
        } catch { result = .failure(error) }
        await desktop.stop()
        await fixture.end()
        try result.get()
    }

    private func off(_ fixture: DaemonFixture, _ server: NginxServer, _ desktop: FakeNotifications) async throws {
        let folder = fixture.program.folder.path + "/config/transferd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "notify = false\n".write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
        let process = try #require(try fixture.process())
        kill(process, SIGTERM)
        try waitUntil("the daemon ends", within: 60) { kill(process, 0) != 0 }
        let before = await desktop.notifications.count
        try fixture.run("add", server.url("z"), "-d", fixture.program.downloads, "--wait", status: 1)
        // With the setting back on, the next notification proves that no earlier one was sent.
        try "notify = true\n".write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
        kill(try #require(try fixture.process()), SIGHUP)
        try fixture.run("add", server.url("w"), "-d", fixture.program.downloads, "--wait", status: 1)
        try await until { await desktop.notifications.count > before }
        #expect(await desktop.notifications[before].body.hasPrefix("w: "))
    }

    private func until(_ condition: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while await !condition() {
            guard ContinuousClock.now < deadline else { throw TestSetupError("no notification arrived within 60 s") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
