// SPDX-License-Identifier: Apache-2.0
import ConditionFixtures
import Foundation
import GLibBridge
import ProcessFixtures
import RawBus
import Testing
import TransferBusClient
import TransferBusProtocol

@Suite(
    "Pipelined changes",
    .enabled(if: PrivateBus.unavailabilityReason == nil, "\(PrivateBus.unavailabilityReason ?? "")"))
struct PipelinedChangeTests {
    @Test("The last of several changes sent without waiting for replies takes effect")
    func pipelinedChanges() async throws {
        try await DaemonFixture.with { fixture in
            // Both connections belong to the process of the tests, so the daemon treats both as the same app.
            let client = BusClient()
            try await client.connect(address: fixture.bus.address)
            let transfers = (1...4).map { number in
                VariantValue.dictionary([
                    "url": .string("http://127.0.0.1:9/\(number)"), "not-before": .string("2200-01-01T00:00:00Z"),
                ])
            }
            let reply = try await client.call("Submit", [.list(transfers)], type: "(aa{sv})")
            let ids = reply[0].items.compactMap(\.integer)
            await client.close()
            // Guard: this task waits for each thread that uses the connection.
            nonisolated(unsafe) let bus = try RawBusConnection(address: fixture.bus.address)
            defer { bus.close() }
            for round in 0..<20 {
                let (first, last) = round.isMultiple(of: 2) ? ("Resume", "Pause") : ("Pause", "Resume")
                let errors = try await onThread { try Self.send([first, last, first, last], to: ids, by: bus) }
                #expect(errors == [])
                let rows = try await fixture.json("list")["transfers"] as? [[String: Any]]
                let expected = last == "Pause" ? "paused" : "waiting"
                #expect(rows?.compactMap { $0["state"] as? String } == ids.map { _ in expected }, "round \(round)")
            }
        }
    }

    /// Sends calls about each transfer, then waits for the replies.
    ///
    /// - Returns: The errors.
    private static func send(_ methods: [String], to ids: [Int64], by bus: RawBusConnection) throws -> [String] {
        for method in methods {
            for id in ids {
                try bus.send(
                    WireMessage.call(
                        method, of: TransferBusName.managerInterface, at: TransferBusName.managerPath,
                        to: TransferBusName.service, [.array(of: "x", [.int64(id)])]))
            }
        }
        var (replies, errors) = (0, [String]())
        while replies < methods.count * ids.count {
            guard let message = try bus.receive(milliseconds: 30_000) else { return errors + ["no answer"] }
            if message.kind == .error { errors.append(message.errorName ?? "") }
            if message.replySerial != nil { replies += 1 }
        }
        return errors
    }
}
