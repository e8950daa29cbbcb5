// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GLibBridge
import ProcessFixtures
import Testing
import TransferBusProtocol

@Suite(
    "C12: apps are launched as systemd services",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct StartedUnitTests {
    /// Makes an app submit a download and die. The daemon then starts the app by a command that ends with `words`.
    private func withStartedApp(
        of program: String = SessionFixture.program, _ words: [String] = [],
        _ body: (SessionFixture, FakeSystemd, AppLog) async throws -> Void
    ) async throws {
        try await SessionFixture.with { fixture in
            let systemd = FakeSystemd(environment: fixture.daemon.program.environment)
            try await systemd.start(address: fixture.daemon.bus.address)
            try fixture.server.serve("episode", bytes: 1000)
            let log = fixture.log("app")
            let app = try fixture.app("app", ["--session", "episodes", "--relaunch", program, log.path] + words)
            try await app.log.wait(for: "opened")
            try app.send("download \(fixture.server.url("episode"))")
            try await app.log.wait(for: "submitted 1")
            await app.crash()
            try await body(fixture, systemd, log)
            await systemd.stop()
        }
    }

    @Test("L2: a unit named after the app runs the command, inherits nothing, and counts as the same app")
    func unit() async throws {
        let odd = ["$HOME", "%h", "it's", "a\\'b\"", "', 'x'>", "two words"]
        // Values of an option that does not change what the app does here.
        let words = odd.flatMap { ["--give-up", $0] }
        try await withStartedApp(words) { fixture, systemd, log in
            try await log.wait(for: "ended")
            let order = try #require(systemd.orders.first)
            #expect(order.unit.hasPrefix("app-transferd-"))
            #expect(order.unit.contains("SessionApp@") && order.unit.hasSuffix(".service"))
            #expect(order.command == [SessionFixture.program, log.path] + words)
            #expect(order.flags == ["no-env-expand"])
            #expect(order.properties["Slice"]?.string == "app.slice")
            #expect(order.properties["Type"]?.string == "exec")
            let variables = order.properties["Environment"]?.items.compactMap(\.string)
            #expect(variables == ["BACKGROUND_TRANSFER_SESSION=episodes"])
            // The app gets its session, so the daemon recognizes it as the app that it started.
            #expect(log.lines.contains { $0.hasPrefix("completed 1 0") })
            try await waitUntil("the daemon releases the unit", within: 60) { systemd.released == [order.unit] }
            #expect(try await fixture.row()["failures"] as? Int == 0)
        }
    }

    @Test("R4: a command that systemd cannot execute is reported as missing, and no child is started instead")
    func missing() async throws {
        try await withStartedApp(of: "/nowhere/app") { fixture, systemd, log in
            try await waitUntil("the failure is reported", within: 60) {
                try await fixture.row()["missing"] as? Int ?? 0 > 0
            }
            #expect(systemd.orders.first?.command.first == "/nowhere/app")
            #expect(log.lines.filter { $0.hasPrefix("began ") }.count == 1)
        }
    }
}
