// SPDX-License-Identifier: Apache-2.0
import ConditionRigs
import Foundation
import Testing

@Suite(
    "Budgets of metered bytes, end to end", .serialized,
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct BudgetTests {
    private func configure(_ rig: DaemonRig, _ text: String) throws {
        let folder = rig.program.folder.path + "/config/transferd"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
    }

    private func budgets(_ rig: DaemonRig) throws -> [String] {
        let rows = try rig.json("budgets")["budgets"] as? [[String: Any]] ?? []
        return rows.map { row in
            ["scope", "name", "limit", "used", "state"].map { "\(row[$0] ?? "none")" }.joined(separator: " ")
        }
    }

    @Test("The settings' budgets are listed, and follow the file at SIGHUP and across restarts of the daemon")
    func listed() async throws {
        let rig = try await DaemonRig()
        try configure(rig, "connection-budgets = { \"Phone 5G\" = 2000 }\napp-budgets = { person = 0 }\n")
        #expect(try budgets(rig) == ["connection Phone 5G 2000 0 below", "app person 0 0 over"])
        #expect(try rig.run("budgets").contains("used up"))
        try configure(rig, "billing-day = 31\n[app-budgets]\nperson = 7\n")
        kill(try #require(try rig.process()), SIGHUP)
        try waitUntil("the other budgets", within: 60) { try budgets(rig) == ["app person 7 0 below"] }
        #expect(try rig.run("policy", "show", "--defaults").contains("#billing-day = 1"))
        let process = try #require(try rig.process())
        kill(process, SIGTERM)
        try waitUntil("the daemon ends", within: 60) { kill(process, 0) != 0 }
        #expect(try budgets(rig) == ["app person 7 0 below"])
        await rig.end()
    }

    @Test(
        "A download spends its app's budget over a metered network; the next one waits, until the budget is larger",
        .enabled(if: NetworkRig.unavailabilityReason == nil, "\(NetworkRig.unavailabilityReason ?? "")"))
    func spent() async throws {
        let rig = try await DaemonRig()
        let network = try await NetworkRig(bus: rig.bus)
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
        while (try? await network.run("curl --silent --fail --output /dev/null \(url)")) == nil {
            try await Task.sleep(for: .milliseconds(50))
        }
        try letDaemonLive(in: network, rig)
        try configure(rig, "app-budgets = { person = 1000000 }\nconnection-budgets = { wired = 9000000 }\n")

        // The user waits for the first download, so no budget holds it back.
        try rig.run("add", url, "--output", rig.program.downloads + "/first", "--wait")
        #expect(try budgets(rig) == ["connection wired 9000000 1000000 below", "app person 1000000 1000000 over"])
        #expect(try rig.run("budgets").contains("used up"))
        try rig.run(
            "add", url, "--output", rig.program.downloads + "/second", "--discretionary", "--metered", "allow")
        try waitUntil("the spent budget", within: 60) { try reasons(rig) == ["budgetSpent"] }
        #expect(try rig.run("why", "2").contains("the budget of metered bytes is used up"))
        #expect(try rig.state(of: "2") == "waiting")

        try configure(rig, "app-budgets = { person = 5000000 }\n")
        kill(try #require(try rig.process()), SIGHUP)
        try rig.run("wait", "2")
        #expect(try budgets(rig) == ["app person 5000000 2000000 below"])
        #expect(FileManager.default.contents(atPath: rig.program.downloads + "/second") == Data(count: 1_000_000))
        await rig.end()
        await network.end()
    }

    private func reasons(_ rig: DaemonRig) throws -> [String] {
        (try rig.json("why", "2")["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
    }

    /// Makes the bus start the daemon in the network namespace, but in no other namespace. In its own mount
    /// namespace, the daemon would take `transferctl` for a sandboxed program.
    private func letDaemonLive(in network: NetworkRig, _ rig: DaemonRig) throws {
        let file = rig.bus.serviceFolder + "/org.transferd.service"
        let service = try String(contentsOfFile: file, encoding: .utf8)
        let prefix = "/usr/bin/nsenter --net=/run/netns/\(network.name) "
        try service.replacing("Exec=", with: "Exec=" + prefix).write(toFile: file, atomically: true, encoding: .utf8)
    }
}
