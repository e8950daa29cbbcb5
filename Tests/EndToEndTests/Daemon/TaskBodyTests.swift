// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GLibBridge
import Testing
import TransferBusClient
import TransferBusProtocol

@Suite(
    "Bodies of tasks on the bus",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct TaskBodyTests {
    /// The keys of a request that a client without bodies reads. It refuses all others.
    private static let knownKeys: Set = ["url", "method", "headers", "timeout", "cellular", "expensive", "constrained"]

    private static let request: [String: VariantValue] = [
        "url": .string("http://127.0.0.1:9/"), "method": .string("POST"), "body": .bytes([1, 0, 255]),
    ]

    private func send(_ order: [String: VariantValue], to session: String, by client: BusClient) async throws {
        _ = try await client.call(
            "Post", of: TransferBusName.sessionInterface, [.dictionary(order)], type: "(a{sv})", at: session)
    }

    private func call(_ method: String, _ task: Int64? = nil, of session: String, by client: BusClient) async throws
        -> VariantValue?
    {
        try await client.call(
            method, of: TransferBusName.sessionInterface, task.map { [.integer($0)] } ?? [],
            type: task == nil ? "()" : "(x)", at: session
        ).first
    }

    @Test("An earlier client can read a session with a body; the body is sent only on request")
    func onRequest() async throws {
        try await DaemonFixture.with { fixture in
            let client = BusClient()
            try await client.connect(address: fixture.bus.address)
            let opening: [VariantValue] = [.dictionary(["identifier": .string("s")]), .dictionary([:])]
            let first = try await client.call("OpenSession", opening, type: "(a{sv}a{sv})")
            let session = try #require(first.first?.dictionary?["path"]?.string)
            let snapshot: [String: VariantValue] = [
                "task": .integer(1), "request": .dictionary(Self.request), "suspended": .bool(true),
            ]
            try await send(["order": .string("submit"), "snapshot": .dictionary(snapshot)], to: session, by: client)
            let again = try await client.call("OpenSession", opening, type: "(a{sv}a{sv})")
            let listed = try await call("Tasks", of: session, by: client)
            for tasks in [again.first?.dictionary?["tasks"], listed] {
                let task = try #require(tasks?.items.first?.dictionary)
                let keys = try #require(task["request"]?.dictionary?.keys)
                #expect(keys.contains("method") && Self.knownKeys.isSuperset(of: keys))
            }
            #expect(try await call("Body", 1, of: session, by: client) == .bytes([1, 0, 255]))
            #expect(try await call("Body", 2, of: session, by: client) == .bytes([]))
            try await send(["order": .string("cancel"), "task": .integer(1)], to: session, by: client)
            #expect(try await call("Body", 1, of: session, by: client) == .bytes([]))
            await client.close()
        }
    }
}
