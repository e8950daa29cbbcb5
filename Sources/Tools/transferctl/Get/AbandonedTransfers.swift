// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import TransferEngine
import TransferFiles
import TransferModel

/// The transfers of interrupted or failed commands that nobody has continued.
enum AbandonedTransfers {
    /// The time without a change after which a partial file counts as abandoned: thirty days.
    static let age = Duration.seconds(30 * 86_400)

    /// Removes abandoned partial files from a state folder, with their transfers.
    ///
    /// - Parameters:
    ///   - directory: The folder of the queue, the locks, and the partial files.
    ///   - continued: The keys of the transfers that this process performs. They stay.
    /// - Throws: `TransferStoreError`, or `UsageError` if the folder does not support locks.
    static func remove(
        from store: SQLiteStore, in directory: String, locks: TransferLocks, continued: Set<String>
    ) async throws {
        let sweep = PartialSweep(directory: directory + "/partial")
        let files = sweep.orphanedFiles(untouchedFor: age)
        guard !files.isEmpty else { return }
        let transfers = try await store.transfers(Array(Set(files.map(\.transfer))))
        let kept = try transfers.filter { transfer in
            guard let key = transfer.key else { return false }
            return try continued.contains(key) || locks.acquire(keys: [key]) != nil
        }
        let removed = Set(transfers.map(\.id)).subtracting(kept.map(\.id))
        try await store.commit(
            transfers.filter { removed.contains($0.id) && $0.ending == nil }.map { .ended($0.id, .cancelled) })
        try await store.remove(Array(removed))
        // A later transfer may have taken a file over.
        let orphans = Set(try await store.unreferenced(files.map { ($0.path, $0.transfer) }))
        for file in files where orphans.contains(file.path) { sweep.remove(file) }
    }
}
