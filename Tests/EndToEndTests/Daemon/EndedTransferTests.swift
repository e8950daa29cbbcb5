// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GLibBridge
import ProcessFixtures
import Testing
import TransferBusClient
import TransferBusProtocol
import TransferModel

@Suite(
    "Ended transfers are retried and removed",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct EndedTransferTests {
    private func withFixture(_ body: (DaemonFixture, NginxServer) async throws -> Void) async throws {
        let server = try await NginxServer()
        try await DaemonFixture.with { fixture in try await body(fixture, server) }
    }

    private static func listed(_ fixture: DaemonFixture) async throws -> [Int] {
        let rows = try await fixture.json("list", "--all")["transfers"] as? [[String: Any]] ?? []
        return rows.compactMap { $0["id"] as? Int }.sorted()
    }

    @Test("A failed transfer is retried as a new transfer, with its folder, name, and priority")
    func retry() async throws {
        try await withFixture { fixture, server in
            try await fixture.run(
                "add", server.url("late"), "-o", fixture.program.downloads + "/kept", "--priority", "7", "--wait",
                status: 1)
            #expect(try await fixture.run("resume", "1").split(separator: "\n") == ["2"])
            try await fixture.run("wait", "2", status: 1)
            try server.serve("late", bytes: 1000)
            #expect(try await fixture.run("resume", "2", "1") == "3\n4")
            try await fixture.run("wait", "3", "4")
            #expect(FileManager.default.fileExists(atPath: fixture.program.downloads + "/kept"))
            #expect(try await fixture.transfer("3")["priority"] as? Int == 7)
            #expect(try await fixture.run("resume", "3", status: 2).contains("has finished"))
            #expect(try await fixture.run("resume", "99", status: 2).contains("no transfer 99"))
            try await fixture.run("add", server.url("later"), "--not-before", "+1d")
            try await fixture.run("pause", "5")
            #expect(try await fixture.run("resume", "5", "2") == "6", "paused and failed ones together")
            #expect(try await fixture.state(of: "5") == "waiting")
            #expect(try await fixture.run("resume", "5", "--failed", status: 2).contains("use one way"))
        }
    }

    @Test("A failed transfer continues its bytes at a fresh link, and says if it starts over")
    func freshLink() async throws {
        // Ranges from the first megabyte on are not limited.
        let server = try await NginxServer(rate: 1000, beginning: 2_000_000)
        let served = try server.serve("old", bytes: 4_000_000)
        let fixture = try await DaemonFixture()
        let result: Result<Void, any Error>
        do {
            let downloads = fixture.program.downloads
            try await fixture.run("add", server.url("old?key=1"), "-o", downloads + "/file")
            try await waitUntil("bytes", within: 60) {
                try await fixture.transfer("1")["bytes"] as? Int ?? 0 > 1_500_000
            }
            try await fixture.run("pause", "1")
            try await waitUntil("a pause", within: 60) { try await fixture.state(of: "1") == "paused" }
            guard rename(served, server.folder.path + "/www/new") == 0 else { throw FixtureError("no new link") }
            try await fixture.run("resume", "1")
            try await fixture.run("wait", "1", status: 1)
            #expect(try await fixture.run("why", "1").contains("'transferctl set 1 url=URL'"))
            #expect(try await fixture.run("set", "1", "url=ftp://h/", status: 2).contains("unsupported URL scheme"))
            #expect(try await fixture.run("set", "1", "url=\(server.url("new?key=2"))", "priority=7") == "2")
            try await fixture.run("wait", "2", "--timeout", "60s")
            #expect(RandomFile.same(downloads + "/file", server.folder.path + "/www/new"))
            let requests = server.requests().filter { $0.path == "/new" }
            #expect(requests.map(\.status) == [206] && requests.allSatisfy { $0.bytesSent < 2_500_000 })
            #expect(try await fixture.transfer("2")["priority"] as? Int == 7)
            // An unfinished one keeps its ID; here, the server has another file.
            try await fixture.run("add", server.url("new"), "-o", downloads + "/other")
            try await waitUntil("bytes", within: 60) {
                try await fixture.transfer("3")["bytes"] as? Int ?? 0 > 1_500_000
            }
            let changed = try server.serve("changed", bytes: 1_900_000, seed: 2)
            try await fixture.run("set", "3", "url=\(server.url("changed"))")
            try await fixture.run("wait", "3", "--timeout", "60s")
            #expect(RandomFile.same(downloads + "/other", changed))
            let history = try await fixture.run("history", "3")
            #expect(history.contains("changed  - new URL \(server.url("changed"))"))
            #expect(history.contains("restarted  - the file on the server has changed, starting over"))
            #expect(try await fixture.run("set", "3", "url=\(server.url("x"))", status: 2).contains("has finished"))
            result = .success(())
        } catch { result = .failure(error) }
        await fixture.end()
        try result.get()
    }

    @Test("A request that has lost a query or a header field is not retried, also after a restart")
    func incomplete() async throws {
        try await withFixture { fixture, server in
            try await fixture.run("add", server.url("x") + "?key=1", "--wait", status: 1)
            try await fixture.run("add", server.url("y"), "--header", "X-Key: 1", "--wait", status: 1)
            try await fixture.run("add", server.url("z"), "--wait", status: 1)
            try await fixture.endDaemon()
            for id in ["1", "2"] {
                #expect(try await fixture.run("resume", id, status: 2).contains("'transferctl add'"))
            }
            let url = "url=\(server.url("new"))?key=2"
            #expect(try await fixture.run("set", "2", url, status: 2).contains("'transferctl add'"), "a header is lost")
            #expect(try await fixture.run("resume", "1", "3", status: 2).contains("transfer 1 had a query"))
            #expect(try await Self.listed(fixture) == [1, 2, 3], "a refused retry submits nothing")
            #expect(try await fixture.run("resume", "--failed") == "4")
        }
    }

    @Test("Cleared transfers are gone from the list, also after a restart, and stay in the history")
    func clear() async throws {
        try await withFixture { fixture, server in
            try server.serve("file.bin", bytes: 1000)
            try await fixture.run("add", server.url("file.bin"), "-d", fixture.program.downloads, "--wait")
            try await fixture.run("add", server.url("x"), server.url("y"), "--wait", status: 1)
            try await fixture.run("add", server.url("later"), "--not-before", "+1d")
            #expect(try await fixture.run("clear", "4", status: 2).contains("it has not ended"))
            #expect(try await fixture.run("clear", "2", "4", status: 2).contains("transfer 4"))
            try await fixture.run("clear", "2")
            #expect(try await Self.listed(fixture) == [1, 3, 4])
            #expect(try await fixture.run("list", "2", status: 2).contains("no transfer 2"))
            #expect(try await fixture.run("history", "2").contains("the server answered 404"))
            #expect(try await fixture.run("clear", "2", "--failed", status: 2).contains("by IDs or by --failed"))
            try await fixture.run("clear", "--failed")
            #expect(try await Self.listed(fixture) == [1, 4])
            try await fixture.run("clear")
            #expect(try await Self.listed(fixture) == [4])
            #expect(FileManager.default.fileExists(atPath: fixture.program.downloads + "/file.bin"))
            try await fixture.endDaemon()
            #expect(try await Self.listed(fixture) == [4])
            let past = try await fixture.json("history")["transfers"] as? [[String: Any]]
            #expect(past?.count == 4)
        }
    }
}
