// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import ProcessFixtures
import Testing

@Suite(
    "Budgets of metered bytes, end to end",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct BudgetTests {
    private func configure(_ fixture: DaemonFixture, _ text: String) throws {
        let folder = fixture.program.folder.path + "/config/transferd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
    }

    private func budgets(_ fixture: DaemonFixture) async throws -> [String] {
        let rows = try await fixture.json("network")["budgets"] as? [[String: Any]] ?? []
        return rows.map { row in
            ["scope", "name", "limit", "used", "state"].map { "\(row[$0] ?? "none")" }.joined(separator: " ")
        }
    }

    @Test("Budgets from the settings are listed, and follow the file at SIGHUP and after a daemon restart")
    func listed() async throws {
        let fixture = try await DaemonFixture()
        try configure(fixture, "connection-budgets = { \"Phone 5G\" = 2000 }\napp-budgets = { person = 0 }\n")
        #expect(try await budgets(fixture) == ["connection Phone 5G 2000 0 below", "app person 0 0 over"])
        #expect(try await fixture.run("network").contains("used up"))
        try configure(fixture, "billing-day = 31\n[app-budgets]\nperson = 7\n")
        kill(try #require(try await fixture.process()), SIGHUP)
        try await waitUntil("the other budgets", within: 60) { try await budgets(fixture) == ["app person 7 0 below"] }
        #expect(try await fixture.run("config", "show", "--defaults").contains("#billing-day = 1"))
        try await fixture.endDaemon()
        #expect(try await budgets(fixture) == ["app person 7 0 below"])
        await fixture.end()
    }

    @Test(
        "A metered download spends its app's budget; the next download waits until the budget is raised",
        .enabled(if: NetworkFixture.unavailabilityReason == nil, "\(NetworkFixture.unavailabilityReason ?? "")"))
    func spent() async throws {
        let fixture = try await DaemonFixture()
        let network = try await NetworkFixture(bus: fixture.bus)
        try await network.startManager()
        try await network.connect()
        try await network.setMetered("yes")
        let folder = try TemporaryFolder()
        try Data(count: 1_000_000).write(to: URL(fileURLWithPath: folder.path + "/file"))
        let address = "10.9.0.2"
        try await network.serve([
            "/usr/bin/python3", "-m", "http.server", "8000", "--bind", address, "--directory", folder.path,
        ])
        let url = "http://\(address):8000/file"
        try await waitUntil("the server answers", within: 30) {
            (try? await network.run("curl --silent --fail --output /dev/null \(url)")) != nil
        }
        try runDaemon(in: network, fixture)
        try configure(fixture, "app-budgets = { person = 1000000 }\nconnection-budgets = { wired = 9000000 }\n")

        // The user waits for the first download, so no budget applies to it.
        try await fixture.run("add", url, "--output", fixture.program.downloads + "/first", "--wait")
        #expect(
            try await budgets(fixture) == ["connection wired 9000000 1000000 below", "app person 1000000 1000000 over"])
        #expect(try await fixture.run("network").contains("used up"))
        try await fixture.run(
            "add", url, "--output", fixture.program.downloads + "/second", "--discretionary", "--metered", "allow")
        try await waitUntil("the spent budget", within: 60) { try await reasons(fixture) == ["budgetSpent"] }
        #expect(try await fixture.run("why", "2").contains("the metered data budget is used up"))
        #expect(try await fixture.state(of: "2") == "waiting")

        try configure(fixture, "app-budgets = { person = 5000000 }\n")
        kill(try #require(try await fixture.process()), SIGHUP)
        try await fixture.run("wait", "2")
        #expect(try await budgets(fixture) == ["app person 5000000 2000000 below"])
        #expect(FileManager.default.contents(atPath: fixture.program.downloads + "/second") == Data(count: 1_000_000))
        await fixture.end()
        await network.end()
    }

    private func reasons(_ fixture: DaemonFixture) async throws -> [String] {
        (try await fixture.json("why", "2")["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
    }

    /// Makes the bus start the daemon in the network namespace, but in no other namespace. In its own mount
    /// namespace, the daemon would treat `transferctl` as a sandboxed program.
    private func runDaemon(in network: NetworkFixture, _ fixture: DaemonFixture) throws {
        let file = fixture.bus.serviceFolder + "/org.transferd.service"
        let service = try String(contentsOfFile: file, encoding: .utf8)
        let prefix = "/usr/bin/nsenter --net=/run/netns/\(network.name) "
        try service.replacing("Exec=", with: "Exec=" + prefix).write(toFile: file, atomically: true, encoding: .utf8)
    }
}
