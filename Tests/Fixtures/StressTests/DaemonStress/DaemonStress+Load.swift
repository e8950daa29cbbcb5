// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import TransferBusClient
import TransferBusProtocol
import TransferModel
import TransferPolicy

/// The random load on the daemon while it runs.
extension DaemonStress {
    /// Submits the transfers that wait until the end of the test.
    func submitWaiting() async throws {
        var left = options.waiting
        while left > 0 {
            let count = min(left, 100)
            _ = await submit(count, waits: true)
            left -= count
        }
    }

    /// Makes one random call.
    ///
    /// - Returns: `false` if the daemon did not respond.
    func step(_ generator: inout SplitMix64) async -> Bool {
        let open = expected.open
        let running = open.filter { expected[$0]?.waits == false }
        let kind = Int.random(in: 0..<100, using: &generator)
        guard kind >= 40, let id = (kind < 55 ? open : running).randomElement(using: &generator) else {
            // Enough transfers are unfinished for now.
            guard running.count < 24 else { return await pauseBriefly() }
            return await submit(
                Int.random(in: 1...4, using: &generator), waits: Int.random(in: 0..<8, using: &generator) == 0)
        }
        switch kind {
        case 40..<48: return await control("Cancel", id)
        case 48..<70: return await control("Pause", id)
        case 70..<95:
            let paused = running.filter { expected[$0]?.isPauseRequested == true }
            return await control("Resume", paused.randomElement(using: &generator) ?? id)
        default: return await recordEnded()
        }
    }

    /// Records the transfers that have ended. They must still be listed as ended after the daemon's next death.
    private func recordEnded() async -> Bool {
        var filter = TransferFilter()
        filter.ended = 20
        do {
            let reply = try await client.call("List", [.dictionary(filter.fields)], type: "(a{sv})")
            let rows = try reply[0].items.compactMap { try $0.dictionary.map(TransferStatus.init) }
            // The state of an unfinished transfer may have changed since the reply.
            for path in rows.filter(\.state.isEnded).compactMap({ expected.reconcile($0) }) { close(path) }
            return true
        } catch {
            return isResponse(error, "List")
        }
    }

    private func pauseBriefly() async -> Bool { (try? await Task.sleep(for: .milliseconds(5))) != nil }

    private func submit(_ count: Int, waits: Bool) async -> Bool {
        let paths = (planned..<planned + count).map { number in
            number % 4 == 3 ? UploadProtocol.allCases[number / 4 % 3].path(number) : "/file-\(number).bin"
        }
        planned += count
        expected.plan(paths, waits: waits)
        let transfers = paths.map { path -> VariantValue in
            var fields: [String: VariantValue] = [
                "url": .string(server.url(path)), "kind": .string("userInitiated"),
                "idle-timeout": .integer(10), "attempts": .integer(1_000_000),
            ]
            if let uploadProtocol = UploadProtocol(path: path) {
                fields["upload-file"] = .string(makeFile(path))
                fields["method"] = .string(uploadProtocol.method)
                fields["resumable"] = .bool(uploadProtocol != .put)
            } else {
                fields["directory"] = .string(disk + "/downloads")
                fields["name"] = .string(String(path.dropFirst()))
            }
            if waits { fields["not-before"] = .string("2199-01-01T00:00:00Z") }
            return .dictionary(fields)
        }
        do {
            let reply = try await client.call("Submit", [.list(transfers)], type: "(aa{sv})")
            expected.acknowledge(paths, as: reply[0].items.map { TransferID($0.integer ?? 0) })
            return true
        } catch {
            return isResponse(error, "Submit")
        }
    }

    /// Pauses, resumes, or cancels a transfer, and records the request and the reply.
    @discardableResult
    func control(_ action: String, _ id: TransferID) async -> Bool {
        expected.change(id) { entry in
            switch action {
            case "Cancel": entry.isCancelRequested = true
            case "Pause": entry.isPauseRequested = true
            // Another task resumed the transfer, so the effect of the pause can no longer be predicted.
            default: (entry.isPauseRequested, entry.isPauseAcknowledged) = (false, false)
            }
        }
        do {
            _ = try await client.call(action, [.list([.integer(id.rawValue)])], type: "(ax)")
            expected.change(id) { entry in
                if action == "Cancel" { entry.isCancelAcknowledged = true }
                if action == "Pause", entry.isPauseRequested { entry.isPauseAcknowledged = true }
            }
            return true
        } catch let fault as BusFault where fault.code == .transferEnded {
            return true
        } catch {
            return isResponse(error, action)
        }
    }

    /// Records a fault if the daemon rejected a call. In this test, every rejection is a fault.
    ///
    /// - Returns: `false` if the error is not a reply, because the daemon was killed.
    private func isResponse(_ error: any Error, _ call: String) -> Bool {
        guard let fault = error as? BusFault else { return false }
        expected.fault("\(call) was rejected: \(fault.message)")
        return true
    }
}
