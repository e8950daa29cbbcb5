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
