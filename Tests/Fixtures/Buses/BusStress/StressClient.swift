// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import TransferBusClient
import TransferBusProtocol
import TransferEngine
import TransferModel
import TransferPolicy

/// One app that submits, watches, cancels, and disconnects at random. It reports every
/// transfer of another app it sees.
struct StressClient {
    let address: String
    let app: String
    /// The mean pause between two calls. Each pause has a random length.
    let pause: Duration
    let ends: ContinuousClock.Instant
    let tally: StressTally

    /// Opens one connection after another until the time is up.
    func run(seed: UInt64) async {
        var generator = SplitMix64(seed: seed)
        while ContinuousClock.now < ends {
            do { try await life(&generator) } catch { tally.fail("\(app): \(error)") }
        }
    }

    /// Runs one connection from start to end, and cancels its transfers in half of the cases.
    private func life(_ generator: inout SplitMix64) async throws {
        let client = BusClient()
        try await client.connect(address: address)
        do { try await client.own(app) } catch {
            // The bus has not yet released the name of the previous connection.
            await client.close()
            return
        }
        let watch = Bool.random(using: &generator) ? try await client.updates() : nil
        let watching = watch.map { events in
            Task { [app, tally] in
                for await event in events {
                    if case .changed(let status, _) = event, status.app != app {
                        tally.cross("\(app) received a signal about \(status.app)")
                    }
                }
            }
        }
        var ids: [Int64] = []
        for _ in 0..<Int.random(in: 1...30, using: &generator) where ContinuousClock.now < ends {
            try await act(client, &ids, &generator)
            // The arrivals of many independent clients form a Poisson process.
            let wait = pause * -log(1 - Double.random(in: 0..<1, using: &generator))
            if wait > .zero { try await Task.sleep(for: wait) }
        }
        // Half of the connections leave their transfers to the next connection.
        if Bool.random(using: &generator) {
            _ = try? await call(client, "Cancel", [.list(ids.map(VariantValue.integer))], "(ax)")
        }
        watching?.cancel()
        await client.close()
    }

    private func act(_ client: BusClient, _ ids: inout [Int64], _ generator: inout SplitMix64) async throws {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1:
            let count = Int.random(in: 1...5, using: &generator)
            // The transfers are never due, because the bus is measured, not the network.
            let transfer: [String: VariantValue] = [
                "url": .string("http://127.0.0.1:9/\(UInt16.random(in: .min ... .max, using: &generator))"),
                "not-before": .string("2200-01-01T00:00:00Z"), "session": .string("s\(count)"),
            ]
            let reply = try await call(
                client, "Submit", [.list(Array(repeating: .dictionary(transfer), count: count))], "(aa{sv})")
            ids += reply.first?.items.compactMap(\.integer) ?? []
        case 2:
            let rows = try await call(client, "List", [.dictionary(["ended": .integer(20)])], "(a{sv})")
            for row in rows.first?.items ?? [] where row.dictionary?["app"]?.string != app {
                tally.cross("\(app) listed a transfer of \(row.dictionary?["app"]?.string ?? "?")")
            }
        case 3:
            if let id = ids.randomElement(using: &generator) {
                _ = try await call(client, "Show", [.integer(id)], "(x)")
            }
        case 4:
            if let id = ids.randomElement(using: &generator) {
                _ = try await call(client, "Explain", [.integer(id)], "(x)")
            }
        case 5:
            guard let id = ids.popLast() else { return }
            _ = try await call(client, "Cancel", [.list([.integer(id)])], "(ax)")
        default:
            // The id most probably belongs to another app, so the transfer must not be visible.
            let id = Int64.random(in: 1...5000, using: &generator)
            guard !ids.contains(id) else { return }
            if let reply = try? await client.call("Show", [.integer(id)], type: "(x)"),
                reply.first?.dictionary?["app"]?.string != app
            {
                tally.cross("\(app) could read transfer \(id)")
            }
        }
    }

    private func call(
        _ client: BusClient, _ method: String, _ arguments: [VariantValue], _ type: String
    ) async throws -> [VariantValue] {
        let begun = ContinuousClock.now
        let reply = try await client.call(method, arguments, type: type)
        tally.record(ContinuousClock.now - begun)
        return reply
    }
}
