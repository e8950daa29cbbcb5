// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing
import TransferBusClient
import TransferBusProtocol

@Suite(
    "Apps whose windows have the focus, or lose it", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct FocusTests {
    private let player = "org.example.Player"
    private let other = "org.example.Other"

    private func waitForFront(_ isInFront: Bool, of app: String, _ rig: SessionRig) throws {
        try waitUntil("\(app) is \(isInFront ? "" : "not ")in front", within: 60) {
            try rig.row(of: app)["front"] as? Bool == isInFront
        }
    }

    private func delays(_ rig: SessionRig) throws -> [Int] {
        (try rig.daemon.json("limiter")["limiters"] as? [[String: Any]] ?? []).compactMap { $0["delay"] as? Int }
    }

    @Test("S6, R3: without the focus its tasks are discretionary and held; the focus ends the delay and frees them")
    func focus() async throws {
        try await SessionRig.with { rig in
            try rig.server.serve("episode", bytes: 1000)
            try rig.configure("relaunch-delay = 3600\n")
            let desktop = FakeDesktop("kde", [player: .active])
            try await desktop.start(address: rig.daemon.bus.address)
            let app = try rig.app("app", "--name", player, "--session", "episodes")
            try app.log.wait(for: "opened")
            try waitForFront(true, of: player, rig)
            try await desktop.show([player: .running, other: .active])
            try waitForFront(false, of: player, rig)
            try app.send("download \(rig.server.url("episode"))")
            // The app is asked to handle the session's events, as an app in the background is.
            try app.log.wait(for: "handle episodes")
            let rows = try rig.daemon.json("list", "--all")["transfers"] as? [[String: Any]]
            #expect(rows?.map { $0["kind"] as? String } == ["discretionary"])
            try waitUntil("a delay", within: 60) { try delays(rig) == [3600] }
            try app.send("download \(rig.server.url("episode"))")
            try waitUntil("the hold", within: 60) {
                (try rig.daemon.json("list")["transfers"] as? [[String: Any]])?.first?["state"] as? String == "waiting"
            }
            try await desktop.show([player: .active, other: .running])
            try app.log.wait(for: "completed 2")
            #expect(try delays(rig) == [])
            await app.crash()
            await desktop.stop()
        }
    }

    @Test("An app that the desktop does not list is as it says itself, whatever becomes of others")
    func unlisted() async throws {
        try await SessionRig.with { rig in
            let desktop = FakeDesktop("kde", [player: .active])
            try await desktop.start(address: rig.daemon.bus.address)
            // A portal that does not report applications.
            let mute = BusClient()
            try await mute.connect(address: rig.daemon.bus.address)
            try await mute.own("org.freedesktop.impl.portal.desktop.gtk")
            let listed = try rig.app("listed", "--name", player, "--session", "episodes")
            let unlisted = try rig.app("unlisted", "--session", "episodes")
            for app in [listed, unlisted] { try app.log.wait(for: "opened") }
            try await desktop.show([player: .running, other: .active])
            try waitForFront(false, of: player, rig)
            #expect(try rig.row()["front"] as? Bool == true)
            try unlisted.send("front no")
            try waitForFront(false, of: SessionRig.program, rig)
            try await desktop.show([player: .active, other: .running])
            try waitForFront(true, of: player, rig)
            #expect(try rig.row()["front"] as? Bool == false)
            try unlisted.send("front yes")
            try waitForFront(true, of: SessionRig.program, rig)
            for app in [listed, unlisted] { await app.crash() }
            await mute.close()
            await desktop.stop()
        }
    }

    @Test("A desktop that goes takes back what it told; it, or the daemon, comes back, and the first look counts")
    func comesBack() async throws {
        try await SessionRig.with { rig in
            var desktop = FakeDesktop("kde", [player: .active])
            try await desktop.start(address: rig.daemon.bus.address)
            let app = try rig.app("app", "--name", player, "--session", "episodes")
            try app.log.wait(for: "opened")
            try await desktop.show([player: .running, other: .active])
            try waitForFront(false, of: player, rig)
            await desktop.stop()
            try waitForFront(true, of: player, rig)
            desktop = FakeDesktop("kde", [player: .running, other: .active])
            try await desktop.start(address: rig.daemon.bus.address)
            try waitForFront(false, of: player, rig)
            let killed = try rig.daemon.process()
            try rig.killDaemon()
            // The app makes the bus start the daemon again.
            try waitUntil("it is joined to another daemon", within: 60) {
                let process = (try? rig.daemon.process()) ?? nil
                return try process != nil && process != killed && rig.row(of: player)["connected"] as? Bool == true
            }
            try waitForFront(false, of: player, rig)
            await app.crash()
            await desktop.stop()
        }
    }

    @Test("What changes while the desktop is asked is asked for again")
    func changing() async throws {
        try await SessionRig.with { rig in
            let desktop = FakeDesktop("kde", [player: .active])
            try await desktop.start(address: rig.daemon.bus.address)
            let app = try rig.app("app", "--name", player, "--session", "episodes")
            try app.log.wait(for: "opened")
            try await desktop.show([player: .active], andThen: [player: .running])
            try waitForFront(false, of: player, rig)
            try await desktop.show([player: .running], andThen: [player: .active])
            try waitForFront(true, of: player, rig)
            await app.crash()
            await desktop.stop()
        }
    }

    @Test("GNOME's portal is asked again when the shell tells of another focus")
    func shell() async throws {
        try await SessionRig.with { rig in
            let desktop = FakeDesktop("gnome", [player: .active])
            try await desktop.startWithShell(address: rig.daemon.bus.address)
            let app = try rig.app("app", "--name", player, "--session", "episodes")
            try app.log.wait(for: "opened")
            try waitForFront(true, of: player, rig)
            try await desktop.showByShell([player: .running])
            try waitForFront(false, of: player, rig)
            try await desktop.showByShell([player: .active])
            try waitForFront(true, of: player, rig)
            await app.crash()
            await desktop.stop()
        }
    }
}
