// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import TransferBusClient
import TransferBusProtocol
import TransferModel
import TransferPolicy

/// The random load on the daemon while it runs.
extension DaemonSoak {
    /// Submits the transfers that wait until the end of the test.
    func handOverWaiting() async throws {
        var left = options.waiting
        while left > 0 {
            let count = min(left, 100)
            _ = await submit(count, waits: true)
            left -= count
        }
    }

    /// Makes one random call.
    ///
    /// - Returns: `false` if the daemon did not answer.
    func step(_ dice: inout SplitMix64) async -> Bool {
        let open = ledger.open
        let running = open.filter { ledger[$0]?.waits == false }
        let kind = Int.random(in: 0..<100, using: &dice)
        guard kind >= 40, let id = (kind < 55 ? open : running).randomElement(using: &dice) else {
            // Enough transfers are unfinished for now.
            guard running.count < 24 else { return await pauseForBreath() }
            return await submit(Int.random(in: 1...4, using: &dice), waits: Int.random(in: 0..<8, using: &dice) == 0)
        }
        switch kind {
        case 40..<48: return await steer("Cancel", id)
        case 48..<70: return await steer("Pause", id)
        case 70..<95:
            let paused = running.filter { ledger[$0]?.isPauseAsked == true }
            return await steer("Resume", paused.randomElement(using: &dice) ?? id)
        default: return await look()
        }
    }

    /// Records the transfers that have ended. They must still be listed as ended after the daemon's next death.
    private func look() async -> Bool {
        var filter = TransferFilter()
        filter.ended = 20
        do {
            let answer = try await client.call("List", [.dictionary(filter.fields)], type: "(a{sv})")
            let rows = try answer[0].items.compactMap { try $0.dictionary.map(TransferStatus.init) }
            // The state of an unfinished transfer may have changed since the answer.
            for path in rows.filter(\.state.isOver).compactMap({ ledger.take($0) }) { close(path) }
            return true
        } catch {
            return answered(error, "List")
        }
    }

    private func pauseForBreath() async -> Bool { (try? await Task.sleep(for: .milliseconds(5))) != nil }

    private func submit(_ count: Int, waits: Bool) async -> Bool {
        let paths = (planned..<planned + count).map { number in
            number % 4 == 3 ? UploadManner.allCases[number / 4 % 3].path(number) : "/file-\(number).bin"
        }
        planned += count
        ledger.plan(paths, waits: waits)
        let transfers = paths.map { path -> VariantValue in
            var fields: [String: VariantValue] = [
                "url": .string(server.url(path)), "kind": .string("userInitiated"),
                "idle-timeout": .integer(10), "attempts": .integer(1_000_000),
            ]
            if let manner = UploadManner(path: path) {
                fields["upload-file"] = .string(makeFile(path))
                fields["method"] = .string(manner.method)
                fields["resumable"] = .bool(manner != .put)
            } else {
                fields["directory"] = .string(disk + "/downloads")
                fields["name"] = .string(String(path.dropFirst()))
            }
            if waits { fields["not-before"] = .string("2199-01-01T00:00:00Z") }
            return .dictionary(fields)
        }
        do {
            let answer = try await client.call("Submit", [.list(transfers)], type: "(aa{sv})")
            ledger.acknowledge(paths, as: answer[0].items.map { TransferID($0.integer ?? 0) })
            return true
        } catch {
            return answered(error, "Submit")
        }
    }

    /// Pauses, resumes, or cancels a transfer, and records the request and the answer.
    @discardableResult
    func steer(_ deed: String, _ id: TransferID) async -> Bool {
        ledger.change(id) { entry in
            switch deed {
            case "Cancel": entry.isCancelAsked = true
            case "Pause": entry.isPauseAsked = true
            // Another task resumed the transfer, so the effect of the pause can no longer be predicted.
            default: (entry.isPauseAsked, entry.isPauseAcknowledged) = (false, false)
            }
        }
        do {
            _ = try await client.call(deed, [.list([.integer(id.rawValue)])], type: "(ax)")
            ledger.change(id) { entry in
                if deed == "Cancel" { entry.isCancelAcknowledged = true }
                if deed == "Pause", entry.isPauseAsked { entry.isPauseAcknowledged = true }
            }
            return true
        } catch let fault as BusFault where fault.code == .transferEnded {
            return true
        } catch {
            return answered(error, deed)
        }
    }

    /// Returns whether an error is an answer. A refusal is an answer and a fault here; a
    /// killed daemon does not answer.
    private func answered(_ error: any Error, _ call: String) -> Bool {
        guard let fault = error as? BusFault else { return false }
        ledger.fault("\(call) was refused: \(fault.message)")
        return true
    }
}
