// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// The records of the unfinished transfers that were needed in this run.
///
/// A queue of a million transfers must not hold a million specifications. Each specification is read from the store
/// when it is needed.
final class TransferRecords {
    /// The maximum number of records that keep specifications without an immediate need.
    private static let maximumCount = 1000

    private let store: any TransferStore
    private let updates: AsyncStream<EngineUpdate>.Continuation
    private var records: [TransferID: TransferRecord] = [:]

    /// Creates an empty collection. Read errors of `store` are reported as updates.
    init(store: any TransferStore, updates: AsyncStream<EngineUpdate>.Continuation) {
        (self.store, self.updates) = (store, updates)
    }

    /// The number of records.
    var count: Int { records.count }

    /// Returns the record of a transfer, or `nil` if no record exists.
    subscript(id: TransferID) -> TransferRecord? { records[id] }

    /// Returns the record of an unfinished transfer, and creates a missing record.
    func record(of id: TransferID) -> TransferRecord {
        if let record = records[id] { return record }
        let record = TransferRecord()
        records[id] = record
        return record
    }

    /// Keeps the specification of a new transfer if few records exist. In a long queue, only the store keeps the
    /// specification.
    func add(_ id: TransferID, _ transfer: NewTransfer) {
        guard records.count < Self.maximumCount else { return }
        records[id] = TransferRecord(specification: transfer.specification, resume: transfer.resume)
    }

    /// Removes the record of an ended transfer.
    func remove(_ id: TransferID) { records[id] = nil }

    /// Drops the specification of a transfer that waits again, perhaps for days, if there are many records.
    func dropSpecification(of id: TransferID) {
        if records.count > Self.maximumCount { records[id]?.specification = nil }
    }

    /// Loads the specifications of transfers from the store, if they can be read.
    nonisolated(nonsending) func load(_ ids: [TransferID]) async {
        // The scheduler may have forgotten the transfers that it ends, so its state is not checked here.
        let missing = ids.filter { records[$0]?.specification == nil }
        guard !missing.isEmpty else { return }
        do {
            for stored in try await store.transfers(missing) where stored.ending == nil {
                let record = record(of: stored.id)
                record.specification = stored.specification
                guard !record.isRead else { continue }
                record.isRead = true
                record.resume = stored.resume
            }
        } catch {
            updates.yield(.storeError(TransferStoreError(error)))
        }
    }
}
