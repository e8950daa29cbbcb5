// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// The records of transfers that are not over, as far as anybody has asked for them in this run.
///
/// A queue of a million is not held as a million specifications: each is read from the store when it is needed.
final class TransferRecords {
    /// The number of records that keep their specifications without needing them at once.
    private static let most = 1000

    private let store: any TransferStore
    private let updates: AsyncStream<EngineUpdate>.Continuation
    private var records: [TransferID: TransferRecord] = [:]

    /// No records yet; trouble in reading `store` is told as an update.
    init(store: any TransferStore, updates: AsyncStream<EngineUpdate>.Continuation) {
        (self.store, self.updates) = (store, updates)
    }

    /// The number of records.
    var count: Int { records.count }

    /// The record of a transfer, if there is one.
    subscript(id: TransferID) -> TransferRecord? { records[id] }

    /// The record of a transfer that is not over, made where there is none.
    func record(of id: TransferID) -> TransferRecord {
        if let record = records[id] { return record }
        let record = TransferRecord()
        records[id] = record
        return record
    }

    /// Keeps a new transfer's specification, if it is about to be needed; of a long queue the store keeps the rest.
    func add(_ id: TransferID, _ specification: TransferSpecification) {
        if records.count < Self.most { records[id] = TransferRecord(specification: specification) }
    }

    /// Forgets a transfer that is over.
    func remove(_ id: TransferID) { records[id] = nil }

    /// Drops the specification of a transfer that waits again, perhaps for days, if there are many records.
    func dropSpecification(of id: TransferID) { if records.count > Self.most { records[id]?.specification = nil } }

    /// Sees to it that the specifications of these are at hand, as far as they can be read.
    nonisolated(nonsending) func load(_ ids: [TransferID]) async {
        // The scheduler may have forgotten those that it ends.
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
            updates.yield(.storeTrouble(TransferStoreError(error)))
        }
    }
}
