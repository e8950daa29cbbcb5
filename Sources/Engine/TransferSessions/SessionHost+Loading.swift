// SPDX-License-Identifier: Apache-2.0
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
        for stored in try await rows.store.sessions() {
            let transfers = try await rows.transfers(of: stored)
            await performForSure(.recovered(stored, transfers.mapValues(RecoveredTransfer.init)))
            endedBefore += transfers.sorted { $0.key < $1.key }.compactMap { _, transfer in
                transfer.ending.map { (transfer.id, TaskEnd($0)) }
            }
        }
        await files.removeUnneeded(keeping: machine.neededSources + others, logger: logger)
    }

    /// Does what was left undone, once the engine runs: orders that it has not got, ends of which no app has heard, apps that
    /// wait to be started.
    package func goOn() async {
        for (id, end) in endedBefore { await handle(.transferEnded(id, end)) }
        endedBefore = []
        for key in machine.keys() { await handle(.engineStarted(key)) }
    }
}

extension RecoveredTransfer {
    fileprivate init(_ transfer: StoredTransfer) {
        let traits = transfer.specification.traits
        self.init(
            id: transfer.id, submitted: traits.submitted, date: traits.constraints.notBefore?.date,
            bytes: transfer.resume?.bytes, total: transfer.resume?.total)
    }
}
