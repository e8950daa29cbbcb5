// SPDX-License-Identifier: Apache-2.0
package import SessionLogic
internal import TransferEngine
internal import TransferModel

/// The recovery of sessions at startup.
extension SessionHost {
    /// Reads the stored sessions before the engine runs, so that ``handle(_:)`` can match transfers to sessions.
    /// Removes files of uploads that are no longer needed.
    ///
    /// - Parameter others: The files of uploads that transfers outside sessions need.
    /// - Throws: Any error of the store.
    package func load(keeping others: [KeptSource] = []) async throws {
        for stored in try await rows.store.sessions() {
            let transfers = try await rows.transfers(of: stored)
            await performLoggingErrors(.recovered(stored, transfers.mapValues(RecoveredTaskTransfer.init)))
            unreportedEnds += transfers.sorted { $0.key < $1.key }.compactMap { _, transfer in
                transfer.ending.map { (transfer.id, TaskEnd($0)) }
            }
        }
        await files.removeUnneeded(keeping: machine.neededSources + others, logger: logger)
    }

    /// Completes unfinished work after the engine runs: orders that the engine did not receive, unreported ends, and
    /// pending app launches.
    package func resumeWork() async {
        for (id, end) in unreportedEnds { await handle(.transferEnded(id, end)) }
        unreportedEnds = []
        for key in machine.keys() { await handle(.engineStarted(key)) }
    }
}

extension RecoveredTaskTransfer {
    fileprivate init(_ transfer: StoredTransfer) {
        let traits = transfer.specification.traits
        self.init(
            id: transfer.id, submitted: traits.submitted, date: traits.constraints.notBefore?.date,
            bytes: transfer.resume?.bytes, total: transfer.resume?.total)
    }
}
