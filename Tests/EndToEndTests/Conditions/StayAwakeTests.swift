// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Staying awake, by a lock of a real systemd-logind",
    .enabled(if: LoginFixture.unavailabilityReason == nil, "\(LoginFixture.unavailabilityReason ?? "")"),
    .enabled(if: PowerFixture.unavailabilityReason == nil, "\(PowerFixture.unavailabilityReason ?? "")"),
    .enabled(if: NginxServer.unavailabilityReason == nil, "\(NginxServer.unavailabilityReason ?? "")"))
struct StayAwakeTests {
    @Test("Sleep is blocked only while a transfer runs on AC power, which 'conditions' says")
    func awake() async throws {
        let server = try await NginxServer(rate: 1000)
        try server.serve("file.bin", bytes: 10_000_000)
        let fixture = try await DaemonFixture()
        let (power, login) = (try await PowerFixture(bus: fixture.bus), try LoginFixture(bus: fixture.bus))
        let result: Result<Void, any Error>
        do {
            try await power.spawn()
            try await login.spawn()
            let folder = fixture.program.folder.path + "/config/transferd"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try "stay-awake = true\n".write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
            result = .success(try await body(fixture, server, power, login))
        } catch { result = .failure(error) }
        await fixture.end()
        await login.end()
        await power.end()
        try result.get()
    }

    private func body(
        _ fixture: DaemonFixture, _ server: NginxServer, _ power: PowerFixture, _ login: LoginFixture
    ) async throws {
        func isBlocked(_ isBlocked: Bool, _ text: String) async throws {
            try await waitUntil("sleep is \(isBlocked ? "blocked" : "allowed")", within: 30) {
                try await login.locks().contains { $0.hasPrefix("sleep/block/") } == isBlocked
            }
            try await waitUntil("conditions say so", within: 30) {
                let object = try await fixture.json("conditions")["stayAwake"] as? [String: Any]
                return object?["value"] as? String == text
            }
        }
        try await fixture.run("list")
        try await isBlocked(false, "no transfer runs")
        try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads)
        try await isBlocked(true, "while transfers run")
        try await power.setAC(false)
        try await isBlocked(false, "not on AC power")
        #expect(try await fixture.state(of: "1") == "running")
        try await power.setAC(true)
        try await isBlocked(true, "while transfers run")
        try await login.kill()
        try await login.spawn()
        try await isBlocked(true, "while transfers run")
        try await fixture.run("pause", "1")
        try await isBlocked(false, "no transfer runs")
        #expect(try await fixture.run("conditions").contains("stay awake"))
    }
}
