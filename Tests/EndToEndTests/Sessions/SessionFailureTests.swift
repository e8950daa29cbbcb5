// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import ConditionFixtures
import Foundation
import GLibBridge
import ProcessFixtures
import Testing
import TransferBusClient
import TransferBusProtocol

@Suite(
    "Background sessions under failures",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct SessionFailureTests {
    @Test("An app is identified by a name that it owns on another connection, as with toolkits")
    func otherConnection() async throws {
        try await SessionFixture.with { fixture in
            let toolkit = BusClient()
            try await toolkit.connect(address: fixture.daemon.bus.address)
            try await toolkit.own("org.example.Toolkit")
            let caller = BusClient()
            try await caller.connect(address: fixture.daemon.bus.address)
            let path = try await Self.open("episodes", by: caller)
            #expect(path?.contains("org_2eexample_2eToolkit__episodes") == true)
            // A new daemon first queries the owners of all bus names.
            try await fixture.killDaemon()
            try await fixture.waitForEndOfDaemon()
            let again = BusClient()
            try await again.connect(address: fixture.daemon.bus.address)
            #expect(try await Self.open("others", by: again)?.contains("org_2eexample_2eToolkit__others") == true)
            for client in [toolkit, caller, again] { await client.close() }
        }
    }

    private static func open(_ identifier: String, by client: BusClient) async throws -> String? {
        let reply = try await client.call(
            "OpenSession", [.dictionary(["identifier": .string(identifier)]), .dictionary([:])],
            type: "(a{sv}a{sv})")
        return reply.first?.dictionary?["path"]?.string
    }

    @Test("Calls to other apps' sessions and invalid calls are rejected by name")
    func rawCalls() async throws {
        try await SessionFixture.with { fixture in
            let (one, two) = (BusClient(), BusClient())
            for (client, name) in [(one, "org.example.One"), (two, "org.example.Two")] {
                try await client.connect(address: fixture.daemon.bus.address)
                try await client.own(name)
            }
            let path = try #require(try await Self.open("episodes", by: one))
            func call(_ method: String, _ arguments: [VariantValue], _ type: String, by client: BusClient) async throws
            {
                _ = try await client.call(
                    method, of: TransferBusName.sessionInterface, arguments, type: type, at: path)
            }
            let cancel = VariantValue.dictionary(["order": .string("cancel"), "task": .integer(1)])
            try await call("Post", [cancel], "(a{sv})", by: one)
            // For another app, the session does not exist.
            await #expect(throws: BusClientError.self) { try await call("Post", [cancel], "(a{sv})", by: two) }
            await #expect(throws: BusFault.self) { try await call("Post", [.dictionary([:])], "(a{sv})", by: one) }
            await #expect(throws: BusFault(.badIdentifier, "a session identifier has 1 to 255 bytes, not 0")) {
                _ = try await Self.open("", by: one)
            }
            try await call("Close", [], "()", by: one)
            do {
                try await call("Acknowledge", [.integer(8)], "(x)", by: one)
                Issue.record("the call was accepted")
            } catch let fault as BusFault { #expect(fault.code == .noSuchSession) }
            for client in [one, two] { await client.close() }
        }
    }

    @Test("L5: a daemon that stays unreachable ends the session with an explanation")
    func givingUp() async throws {
        let bus = try await PrivateBus()
        let daemon = try await SessionFixture.daemonWithoutActivation(on: bus)
        let log = AppLog(path: daemon.folder.path + "/app.log")
        let app = try FixtureProcess(
            [SessionFixture.program, log.path, "--give-up", "2", "--session", "episodes"],
            environment: bus.sessionEnvironment)
        try await log.wait(for: "opened")
        daemon.process.end()
        #expect(try await log.wait(for: "invalidated").contains("transferctl service"))
        try await app.wait(within: 60)
        await app.end()
        await bus.end()
    }
}
