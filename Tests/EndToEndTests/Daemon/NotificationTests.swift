// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Desktop notifications of ended transfers",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct NotificationTests {
    @Test("The user's transfers get notifications, grouped if several end together, and none if turned off")
    func notifies() async throws {
        let server = try await NginxServer()
        try server.serve("a.bin", bytes: 1000)
        let fixture = try await DaemonFixture { folder in
            // A desktop without portals, whose only means is xdg-open.
            try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
            let script = folder + "/bin/xdg-open"
            try "#!/bin/sh\nprintf '%s\\n' \"$1\" >> '\(folder)/opened'\n".write(
                toFile: script, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
            return ["PATH": folder + "/bin"]
        }
        let desktop = FakeNotifications()
        let result: Result<Void, any Error>
        do {
            try await desktop.start(address: fixture.bus.address)
            try await fixture.run("add", server.url("a.bin"), "-o", fixture.program.downloads + "/a<b>.bin", "--wait")
            try await waitUntil("a notification", within: 60) { await desktop.notifications.count == 1 }
            let first = await desktop.notifications[0]
            #expect(first.title == "Download finished")
            #expect(first.buttons == ["open", "Open", "default", "Show in folder", "show", "Show in folder"])
            // Some notification servers interpret markup.
            #expect(first.body.hasSuffix("a&lt;b&gt;.bin"), "\(first.body)")
            try await open(fixture, server, desktop)
            try await fixture.run(
                "add", server.url("x"), server.url("y"), "-d", fixture.program.downloads, "--wait", status: 1)
            try await waitUntil("a notification", within: 60) {
                await desktop.notifications.map(\.title).contains { $0.contains("failed") }
            }
            try await retry(fixture, server, desktop)
            try await off(fixture, server, desktop)
            result = .success(())
        } catch { result = .failure(error) }
        await desktop.stop()
        await fixture.end()
        try result.get()
    }

    /// Without a portal and a file manager, the buttons use xdg-open. Without xdg-open, they say so.
    private func open(_ fixture: DaemonFixture, _ server: NginxServer, _ desktop: FakeNotifications) async throws {
        let (folder, file) = (fixture.program.folder.path, fixture.program.downloads + "/a<b>.bin")
        func opened() -> String { (try? String(contentsOfFile: folder + "/opened", encoding: .utf8)) ?? "" }
        try await desktop.press("open", of: 0)
        try await waitUntil("the file is opened", within: 60) { opened() == file + "\n" }
        // A press closes the notification, so another one is needed.
        try await fixture.run("add", server.url("a.bin"), "-o", fixture.program.downloads + "/c.bin", "--wait")
        try await waitUntil("a notification", within: 60) { await desktop.notifications.count == 2 }
        try FileManager.default.removeItem(atPath: folder + "/bin/xdg-open")
        try await desktop.press("show", of: 1)
        try await waitUntil("a notification", within: 60) { await desktop.notifications.count == 3 }
        let last = await desktop.notifications[2]
        #expect(last.title == "Cannot show the file")
        #expect(
            last.body.contains("the file manager: ") && last.body.contains("xdg-open: not installed"), "\(last.body)")
    }

    /// A press on Retry submits the failed transfer again.
    private func retry(_ fixture: DaemonFixture, _ server: NginxServer, _ desktop: FakeNotifications) async throws {
        let before = await desktop.notifications.count
        try await fixture.run("add", server.url("later.bin"), "-d", fixture.program.downloads, "--wait", status: 1)
        try await waitUntil("a notification", within: 60) { await desktop.notifications.count > before }
        #expect(await desktop.notifications[before].buttons == ["retry", "Retry"])
        try server.serve("later.bin", bytes: 1000)
        try await desktop.press("retry", of: before)
        try await waitUntil("a notification", within: 60) { await desktop.notifications.count > before + 1 }
        #expect(await desktop.notifications[before + 1].title == "Download finished")
    }

    private func off(_ fixture: DaemonFixture, _ server: NginxServer, _ desktop: FakeNotifications) async throws {
        let folder = fixture.program.folder.path + "/config/transferd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "notify = false\n".write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
        try await fixture.endDaemon()
        let before = await desktop.notifications.count
        try await fixture.run("add", server.url("z"), "-d", fixture.program.downloads, "--wait", status: 1)
        // With the setting back on, the next notification proves that no earlier one was sent.
        try "notify = true\n".write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
        kill(try #require(try await fixture.process()), SIGHUP)
        try await fixture.run("add", server.url("w"), "-d", fixture.program.downloads, "--wait", status: 1)
        try await waitUntil("a notification", within: 60) { await desktop.notifications.count > before }
        #expect(await desktop.notifications[before].body.hasPrefix("w: "))
    }
}
