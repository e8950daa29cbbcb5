// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GLibBridge
import ProcessFixtures
import Testing
import TransferBusClient
import TransferBusProtocol
import TransferModel
import TransferPolicy

@Suite(
    "The daemon's bus objects, tested with raw calls of several apps",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct BusObjectTests {
    /// Describes a transfer that is never due.
    private static func waiting(_ name: String, session: String? = nil) -> [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "url": .string("http://127.0.0.1:9/\(name)"), "not-before": .string("2200-01-01T00:00:00Z"),
        ]
        fields["session"] = session.map(VariantValue.string)
        return fields
    }

    private static func submit(
        _ transfers: [String: VariantValue]..., by client: BusClient, descriptors: [Int32] = []
    ) async throws -> [Int64] {
        let reply = try await client.call(
            "Submit", of: TransferBusName.managerInterface, [.list(transfers.map(VariantValue.dictionary))],
            type: "(aa{sv})", descriptors: descriptors)
        return reply.first?.items.compactMap(\.integer) ?? []
    }

    /// Runs `body` with two apps that the daemon identifies by their bus names.
    private func withApps(_ body: (DaemonFixture, BusClient, BusClient) async throws -> Void) async throws {
        let fixture = try await DaemonFixture()
        let (one, two) = (BusClient(), BusClient())
        let result: Result<Void, any Error>
        do {
            for (client, name) in [(one, "org.example.One"), (two, "org.example.Two")] {
                try await client.connect(address: fixture.bus.address)
                try await client.own(name)
            }
            result = .success(try await body(fixture, one, two))
        } catch { result = .failure(error) }
        await one.close()
        await two.close()
        await fixture.end()
        try result.get()
    }

    private static func properties(of path: String, _ interface: String, by client: BusClient) async throws -> [String:
        VariantValue]
    {
        try await client.call("GetAll", of: TransferBusName.properties, [.string(interface)], type: "(s)", at: path)
            .first?
            .dictionary ?? [:]
    }

    private static func children(of path: String, by client: BusClient) async throws -> Set<String> {
        let reply = try await client.call(
            "Introspect", of: "org.freedesktop.DBus.Introspectable", [], type: "()", at: path)
        let text = reply.first?.string ?? ""
        return Set(text.matches(of: #/<node name="([^"]+)"/#).map { String($0.1) })
    }

    @Test("A session is an object of its app with its transfers and state, and can cancel them together")
    func sessions() async throws {
        try await withApps { fixture, one, two in
            let ids = try await Self.submit(
                Self.waiting("a", session: "night"), Self.waiting("b", session: "night"), Self.waiting("c"), by: one)
            _ = try await Self.submit(Self.waiting("a", session: "night"), by: two)
            let node = SessionKey(app: "org.example.One", identifier: "night").node
            let path = "\(TransferBusName.sessionsPath)/\(node)"
            #expect(try await Self.children(of: TransferBusName.sessionsPath, by: one) == [node])
            let session = try await Self.properties(of: path, TransferBusName.sessionInterface, by: one)
            #expect(session["Identifier"] == .string("night") && session["State"] == .string("waiting"))
            #expect(session["Transfers"] == .list(ids.prefix(2).map(VariantValue.integer)))
            // ListJSON returns the same transfers as List, and only the app's transfers.
            for (client, count) in [(one, 3), (two, 1)] {
                let list = try await client.call("List", [.dictionary([:])], type: "(a{sv})").first?.items ?? []
                #expect(
                    try await client.list(TransferFilter()) == list.map { try TransferStatus($0.dictionary ?? [:]) })
                #expect(list.count == count)
            }
            await #expect(throws: BusClientError.self) {
                try await two.call("CancelAll", of: TransferBusName.sessionInterface, [], type: "()", at: path)
            }
            _ = try await one.call("CancelAll", of: TransferBusName.sessionInterface, [], type: "()", at: path)
            let left = try await one.call("List", [.dictionary([:])], type: "(a{sv})").first?.items ?? []
            #expect(left.map { $0.dictionary?["id"] } == [.integer(ids[2])])
            #expect(try await Self.children(of: TransferBusName.sessionsPath, by: one) == [])
            // The other app's session with the same identifier continues. The user ends the session together with its
            // app.
            let rows = try await fixture.json("apps")["sessions"] as? [[String: Any]]
            #expect(rows?.map { $0["app"] as? String } == ["org.example.Two"])
            #expect(try await fixture.run("apps", "quit", "org.example.Two") == "1")
            #expect(try await fixture.run("apps", "quit", "org.example.Two", status: 2).contains("transferctl apps"))
            await #expect(throws: BusFault.self) {
                try await one.call("QuitApp", [.string("org.example.One")], type: "(s)")
            }
        }
    }

    @Test("Ten thousand open transfers of an app are accepted and listed; one more is rejected")
    func many() async throws {
        try await withApps { fixture, one, two in
            for _ in 0..<5 {
                let batch = Array(repeating: VariantValue.dictionary(Self.waiting("f")), count: 2000)
                _ = try await one.call("Submit", [.list(batch)], type: "(aa{sv})")
            }
            let list = try await one.call("List", [.dictionary([:])], type: "(a{sv})").first?.items
            #expect(list?.count == 10_000)
            await #expect {
                try await Self.submit(Self.waiting("g"), by: one)
            } throws: { ($0 as? BusFault)?.code == .tooManyTransfers }
            // Another app's quota is not affected.
            #expect(try await Self.submit(Self.waiting("g"), by: two).count == 1)
            #expect((try await fixture.json("list")["transfers"] as? [Any])?.count == 10_001)
            // The first call starts the daemon, which is on the bus before it has read all transfers.
            try await fixture.endDaemon()
            #expect((try await fixture.json("list")["transfers"] as? [Any])?.count == 10_001)
            #expect(try await fixture.run("apps", "quit", "org.example.One") == "10000")
        }
    }
}
