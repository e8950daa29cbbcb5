// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import SessionHarnesses
import Testing
import TransferTesting

/// Tests of logins while the app does not run. `DaemonConformanceTests` covers a running app that responds to a login
/// request over the bus (T8).
@Suite(
    "Logins for apps that are not running",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionLoginTests {
    private static let basic = "Basic " + Data("me:secret".utf8).base64EncodedString()

    /// Submits a download during a hold, ends the app as a crash would, and releases the hold.
    private func submit(_ address: String, _ login: [String], _ fixture: SessionFixture) async throws -> AppLog {
        let relaunch = ["--relaunch", SessionFixture.program, fixture.log("app").path] + login
        try await fixture.daemon.run("hold")
        let app = try fixture.app("app", ["--session", "episodes"] + login + relaunch)
        try await app.log.wait(for: "opened")
        try app.send("download \(address)")
        try await waitUntil("the task", within: 60) {
            (try await fixture.daemon.json("list")["transfers"] as? [[String: Any]])?.count == 1
        }
        await app.crash()
        #expect(!app.log.lines.contains { $0.hasPrefix("challenged") })
        try await fixture.daemon.run("release")
        return app.log
    }

    @Test(
        "T8, L2: the task waits, the app is launched and provides the login, and the file arrives",
        arguments: [
            (
                ServedResponse.login(user: "me", password: "secret", 70_000), ["--login", "me:secret"], "basic",
                Self.basic
            ),
            (.token("t.1-x==", 70_000), ["--token", "t.1-x=="], "bearer", "Bearer t.1-x=="),
        ])
    func logsIn(served: ServedResponse, login: [String], scheme: String, field: String) async throws {
        let server = try ConformanceServer()
        defer { server.stop() }
        try await SessionFixture.with { fixture in
            let address = server.address(served)
            let log = try await submit(address, login, fixture)
            try await log.wait(for: "completed 1 0")
            #expect(log.lines.contains { $0.hasPrefix("began ") && $0.hasSuffix(" for episodes") })
            #expect(log.lines.contains("challenged 1 \(scheme) 127.0.0.1"))
            #expect(log.lines.contains { $0.hasPrefix("downloaded 1 70000 ") })
            #expect(try await fixture.row()["launches"] as? Int == 1)
            let fields = server.requests(for: address).map { $0.fields["authorization"] }
            #expect(fields.first == .some(nil))
            #expect(fields.last == field)
            log.killAll()
        }
    }

    @Test("E3: an app that handles no token challenges is launched only for the final 401 response")
    func unrequested() async throws {
        let server = try ConformanceServer()
        defer { server.stop() }
        try await SessionFixture.with { fixture in
            let log = try await submit(server.address(.token("t", 70_000)), [], fixture)
            try await log.wait(for: "ended")
            #expect(log.lines.contains { $0.hasPrefix("responded 1 401") })
            #expect(log.lines.contains("completed 1 0"))
            #expect(!log.lines.contains { $0.hasPrefix("challenged") })
            #expect(try await fixture.row()["launches"] as? Int == 1)
        }
    }
}
