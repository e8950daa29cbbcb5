// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing
import TransferTesting

/// Tests of logins while the app does not run. `DaemonConformanceTests` covers an app that runs and answers a login
/// over the bus (T8).
@Suite(
    "Servers that want a login of an app that does not run", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionLoginTests {
    private static let basic = "Basic " + Data("me:secret".utf8).base64EncodedString()

    /// Submits a download during a hold, ends the app as a crash would, and releases the hold.
    private func handOver(_ address: String, _ login: [String], _ rig: SessionRig) async throws -> AppLog {
        let relaunch = ["--relaunch", SessionRig.program, rig.log("app").path] + login
        try rig.daemon.run("hold")
        let app = try rig.app("app", ["--session", "episodes"] + login + relaunch)
        try app.log.wait(for: "opened")
        try app.send("download \(address)")
        try waitUntil("the task", within: 60) {
            (try rig.daemon.json("list")["transfers"] as? [[String: Any]])?.count == 1
        }
        await app.crash()
        #expect(!app.log.lines.contains { $0.hasPrefix("challenged") })
        try rig.daemon.run("release")
        return app.log
    }

    @Test(
        "T8, L2: the task waits, the app is started for it and answers, and the file comes",
        arguments: [
            (
                ServedAnswer.login(user: "me", password: "secret", 70_000), ["--login", "me:secret"], "basic",
                Self.basic
            ),
            (.token("t.1-x==", 70_000), ["--token", "t.1-x=="], "bearer", "Bearer t.1-x=="),
        ])
    func answers(served: ServedAnswer, login: [String], scheme: String, field: String) async throws {
        let server = try RuleServer()
        defer { server.stop() }
        try await SessionRig.with { rig in
            let address = server.address(served)
            let log = try await handOver(address, login, rig)
            try log.wait(for: "completed 1 0")
            #expect(log.lines.contains { $0.hasPrefix("began ") && $0.hasSuffix(" for episodes") })
            #expect(log.lines.contains("challenged 1 \(scheme) 127.0.0.1"))
            #expect(log.lines.contains { $0.hasPrefix("downloaded 1 70000 ") })
            #expect(try rig.row()["launches"] as? Int == 1)
            let fields = server.requests(for: address).map { $0.fields["authorization"] }
            #expect(fields.first == .some(nil))
            #expect(fields.last == field)
            log.killAll()
        }
    }

    @Test("E3: who is not to be asked for tokens is started for the answer alone, which is the refusal")
    func unasked() async throws {
        let server = try RuleServer()
        defer { server.stop() }
        try await SessionRig.with { rig in
            let log = try await handOver(server.address(.token("t", 70_000)), [], rig)
            try log.wait(for: "ended")
            #expect(log.lines.contains { $0.hasPrefix("responded 1 401") })
            #expect(log.lines.contains("completed 1 0"))
            #expect(!log.lines.contains { $0.hasPrefix("challenged") })
            #expect(try rig.row()["launches"] as? Int == 1)
        }
    }
}
