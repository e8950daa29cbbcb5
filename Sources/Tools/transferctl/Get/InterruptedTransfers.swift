// SPDX-License-Identifier: Apache-2.0
import Foundation
import SQLiteStore
import ToolSupport
import TransferEngine
import TransferFiles
import TransferModel

/// The unfinished transfers and partial files that `get` and `put` commands have left in the state folder.
struct InterruptedTransfers {
    /// A transfer that could continue, with its partial file.
    struct Item {
        /// The transfer as stored.
        let transfer: StoredTransfer
        /// The process that performs the transfer, or `nil` if no process does.
        let owner: Int32?

        /// The partial data from which the transfer would continue.
        var resume: ResumePoint? { transfer.ending.map(\.kept) ?? transfer.resume }

        /// The cells of a table: size, date, state, URL.
        var cells: [String] {
            let size = resume?.total.map { " of \(Formatting.bytes($0))" } ?? ""
            let state = owner.map { "process \($0)" } ?? (transfer.ending == nil ? "interrupted" : "failed")
            return [
                Formatting.bytes(resume?.bytes ?? 0) + size,
                WatchConditions.time(transfer.specification.traits.submitted), state,
                RedactedURL.text(of: transfer.specification.url),
            ]
        }

        /// The item as a JSON object.
        var object: [String: Any] {
            [
                "url": RedactedURL.text(of: transfer.specification.url),
                "bytes": resume?.bytes ?? 0, "total": resume?.total.map { $0 as Any } ?? NSNull(),
                "added": Formatting.rfc3339(transfer.specification.traits.submitted),
                "partialFile": resume.flatMap { $0.path.isEmpty ? nil : $0.path as Any } ?? NSNull(),
                "failed": transfer.ending != nil, "process": owner.map { Int($0) as Any } ?? NSNull(),
            ]
        }
    }

    /// The folder of the queue, the locks, and the partial files.
    let directory: String

    /// Returns the transfers that could continue, oldest first. Empty if no command has run yet.
    ///
    /// - Throws: `UsageError` if the queue cannot be used.
    func items() async throws -> [Item] {
        try await withStore(fallback: []) { try await items(in: $0, TransferLocks(directory: directory)) }
    }

    /// Deletes all transfers that no process performs, with their partial files.
    ///
    /// - Returns: The number of deleted transfers, and the size of the deleted files in bytes.
    /// - Throws: `UsageError` if the queue cannot be used.
    func purge() async throws -> (transfers: Int, bytes: Int64) {
        try await withStore(fallback: (0, 0)) { store in
            // The locks are held until the end, so that no command continues what is being deleted.
            let locks = try TransferLocks(directory: directory)
            defer { withExtendedLifetime(locks) {} }
            let items = try await items(in: store, locks).filter { $0.owner == nil }
            _ = try await store.commit(
                items.filter { $0.transfer.ending == nil }.map { .ended($0.transfer.id, .cancelled) })
            try await store.remove(items.map(\.transfer.id))
            var bytes: Int64 = 0
            let partials = PartialSweep(directory: directory + "/partial").orphanedFiles(untouchedFor: .zero)
            let orphans = try await store.unreferenced(partials.map { ($0.path, $0.transfer) })
            for path in Set(orphans + items.compactMap(\.resume?.path)) where !path.isEmpty {
                let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0
                PartialFileState.removeAbandoned(path)
                if !FileManager.default.fileExists(atPath: path) { bytes += size }
            }
            return (items.count, bytes)
        }
    }

    private func items(in store: SQLiteStore, _ locks: TransferLocks) async throws -> [Item] {
        var transfers: [StoredTransfer] = []
        var last = TransferID(0)
        while case let some = try await store.unfinished(after: last, limit: 1000), let end = some.last {
            transfers += some
            last = end.id
        }
        // A later transfer of the same file may have taken the partial file over.
        let files = Set(transfers.compactMap(\.resume?.path))
        transfers += try await store.ended(limit: 100_000).filter { transfer in
            transfer.ending?.kept.map { !files.contains($0.path) } ?? false
        }
        return try transfers.sorted { $0.id < $1.id }.map { transfer in
            Item(transfer: transfer, owner: try transfer.key.flatMap { try locks.acquire(keys: [$0])?.owner })
        }
    }

    /// Opens the queue if it exists, and closes it after `body`.
    private func withStore<Value>(fallback: Value, _ body: (SQLiteStore) async throws -> Value) async throws -> Value {
        let path = directory + "/queue.sqlite"
        guard FileManager.default.fileExists(atPath: path) else { return fallback }
        do {
            let store = try SQLiteStore(SQLiteStoreConfiguration(path: path, scope: .keys([])))
            let result: Result<Value, any Error>
            do { result = .success(try await body(store)) } catch { result = .failure(error) }
            await store.close()
            return try result.get()
        } catch let error as TransferStoreError {
            throw UsageError("\(error)")
        }
    }
}
