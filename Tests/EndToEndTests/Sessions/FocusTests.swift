// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing
import TransferBusClient
import TransferBusProtocol

@Suite(
    "Apps whose windows gain or lose the focus",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct FocusTests {
    private let player = "org.example.Player"
    private let other = "org.example.Other"

    private func waitForFront(_ isInFront: Bool, of app: String, _ fixture: SessionFixture) async throws {
        try await waitUntil("\(app) is \(isInFront ? "" : "not ")in front", within: 60) {
            try await fixture.row(of: app)["front"] as? Bool == isInFront
        }
    }

    private func delays(_ fixture: SessionFixture) async throws -> [Int] {
        (try await fixture.daemon.json("apps")["limiters"] as? [[String: Any]] ?? []).compactMap {
            $0["delay"] as? Int
        }
    }

    @Test("S6, R3: without the focus, tasks are discretionary and delayed; the focus ends the delay")
    func focus() async throws {
        try await SessionFixture.with { fixture in
            try fixture.server.serve("episode", bytes: 1000)
            try fixture.configure("relaunch-delay = 3600\n")
            let desktop = FakeDesktop("kde", [player: .active])
            try await desktop.start(address: fixture.daemon.bus.address)
            let app = try fixture.app("app", "--name", player, "--session", "episodes")
            try await app.log.wait(for: "opened")
            try await waitForFront(true, of: player, fixture)
            try await desktop.show([player: .running, other: .active])
            try await waitForFront(false, of: player, fixture)
            try app.send("download \(fixture.server.url("episode"))")
            // The daemon calls the app to handle the session's events, as it does for an app in the background.
            try await app.log.wait(for: "handle episodes")
            let rows = try await fixture.daemon.json("list", "--all")["transfers"] as? [[String: Any]]
            #expect(rows?.map { $0["kind"] as? String } == ["discretionary"])
            try await waitUntil("a delay", within: 60) { try await delays(fixture) == [3600] }
            try app.send("download \(fixture.server.url("episode"))")
            try await waitUntil("the second download waits", within: 60) {
                (try await fixture.daemon.json("list")["transfers"] as? [[String: Any]])?.first?["state"] as? String
                    == "waiting"
            }
            try await desktop.show([player: .active, other: .running])
            try await app.log.wait(for: "completed 2")
            #expect(try await delays(fixture) == [])
            await app.crash()
            await desktop.stop()
        }
    }

    @Test("An app that the desktop does not list keeps its self-reported state")
    func unlisted() async throws {
        try await SessionFixture.with { fixture in
            let desktop = FakeDesktop("kde", [player: .active])
            try await desktop.start(address: fixture.daemon.bus.address)
            // A portal that does not report applications.
            let mute = BusClient()
            try await mute.connect(address: fixture.daemon.bus.address)
            try await mute.own("org.freedesktop.impl.portal.desktop.gtk")
            let listed = try fixture.app("listed", "--name", player, "--session", "episodes")
            let unlisted = try fixture.app("unlisted", "--session", "episodes")
            for app in [listed, unlisted] { try await app.log.wait(for: "opened") }
            try await desktop.show([player: .running, other: .active])
            try await waitForFront(false, of: player, fixture)
            #expect(try await fixture.row()["front"] as? Bool == true)
            try unlisted.send("front no")
            try await waitForFront(false, of: SessionFixture.program, fixture)
            try await desktop.show([player: .active, other: .running])
            try await waitForFront(true, of: player, fixture)
            #expect(try await fixture.row()["front"] as? Bool == false)
            try unlisted.send("front yes")
            try await waitForFront(true, of: SessionFixture.program, fixture)
            for app in [listed, unlisted] { await app.crash() }
            await mute.close()
            await desktop.stop()
        }
    }

    @Test("A desktop's reports end with it; after it or the daemon restarts, the first query counts")
    func comesBack() async throws {
        try await SessionFixture.with { fixture in
            var desktop = FakeDesktop("kde", [player: .active])
            try await desktop.start(address: fixture.daemon.bus.address)
            let app = try fixture.app("app", "--name", player, "--session", "episodes")
            try await app.log.wait(for: "opened")
            try await desktop.show([player: .running, other: .active])
            try await waitForFront(false, of: player, fixture)
            await desktop.stop()
            try await waitForFront(true, of: player, fixture)
            desktop = FakeDesktop("kde", [player: .running, other: .active])
            try await desktop.start(address: fixture.daemon.bus.address)
            try await waitForFront(false, of: player, fixture)
            let killed = try await fixture.daemon.process()
            try await fixture.killDaemon()
            // The app makes the bus start the daemon again.
            try await waitUntil("the app is connected to another daemon", within: 60) {
                let process = (try? await fixture.daemon.process()) ?? nil
                guard process != nil, process != killed else { return false }
                return try await fixture.row(of: player)["connected"] as? Bool == true
            }
            try await waitForFront(false, of: player, fixture)
            await app.crash()
            await desktop.stop()
        }
    }

    @Test("A change during a query causes another query")
    func changing() async throws {
        try await SessionFixture.with { fixture in
            let desktop = FakeDesktop("kde", [player: .active])
            try await desktop.start(address: fixture.daemon.bus.address)
            let app = try fixture.app("app", "--name", player, "--session", "episodes")
            try await app.log.wait(for: "opened")
            try await desktop.show([player: .active], andThen: [player: .running])
            try await waitForFront(false, of: player, fixture)
            try await desktop.show([player: .running], andThen: [player: .active])
            try await waitForFront(true, of: player, fixture)
            await app.crash()
            await desktop.stop()
        }
    }

    @Test("GNOME's portal is queried again when the shell announces another focus")
    func shell() async throws {
        try await SessionFixture.with { fixture in
            let desktop = FakeDesktop("gnome", [player: .active])
            try await desktop.startWithShell(address: fixture.daemon.bus.address)
            let app = try fixture.app("app", "--name", player, "--session", "episodes")
            try await app.log.wait(for: "opened")
            try await waitForFront(true, of: player, fixture)
            try await desktop.showByShell([player: .running])
            try await waitForFront(false, of: player, fixture)
            try await desktop.showByShell([player: .active])
            try await waitForFront(true, of: player, fixture)
            await app.crash()
            await desktop.stop()
        }
    }
}
