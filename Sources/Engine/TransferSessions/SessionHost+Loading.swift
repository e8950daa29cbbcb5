// SPDX-License-Identifier: Apache-2.0
internal import Logging
package import SessionLogic
internal import TransferEngine
internal import TransferModel

/// The program starts again.
extension SessionHost {
    /// Reads what is kept, before the engine runs: from then on ``take(_:)`` knows which transfer is whose. Files of uploads
    /// that nobody needs any more are removed.
    ///
    /// - Parameter others: files of uploads that transfers outside sessions need.
    /// - Throws: what the store throws.
    package func load(keeping others: [KeptSource] = []) async throws {
        for stored in try await store.sessions() {
            let transfers = try await transfers(of: stored)
            let recovered = transfers.mapValues {
                RecoveredTransfer(
                    id: $0.id, submitted: $0.specification.traits.submitted,
                    date: $0.specification.traits.constraints.notBefore?.date, bytes: $0.resume?.bytes,
                    total: $0.resume?.total)
            }
            await performForSure(.recovered(stored, recovered))
            endedBefore += transfers.sorted { $0.key < $1.key }.compactMap { _, transfer in
                transfer.ending.map { (transfer.id, TaskEnd($0)) }
            }
        }
        let removed = await spool.restore(machine.neededSources + others)
        if removed > 0 { logger.info("removed files that no upload needs", metadata: ["count": "\(removed)"]) }
    }

    /// The transfers of a session's unfinished tasks.
    private func transfers(of stored: StoredSession) async throws -> [Int: StoredTransfer] {
        let open = stored.tasks.filter { $0.value.end == nil }
        let keys = open.filter { $0.value.transfer == nil }.mapValues {
            stored.key.transferKey(of: $0.snapshot.identifier, again: $0.generation)
        }
        let byKey = try await store.transfers(forKeys: Array(keys.values))
        let byNumber = try await store.transfers(open.values.compactMap(\.transfer))
        return open.compactMapValues { task in
            byNumber.first { $0.id == task.transfer }
                ?? byKey[stored.key.transferKey(of: task.snapshot.identifier, again: task.generation)]
        }
    }

    /// Does what was left undone, once the engine runs: orders that it has not got, ends of which no app has heard, apps that
    /// wait to be started.
    package func goOn() async {
        for (id, end) in endedBefore { await handle(.transferEnded(id, end)) }
        endedBefore = []
        for key in machine.keys() { await handle(.engineStarted(key)) }
    }
}
