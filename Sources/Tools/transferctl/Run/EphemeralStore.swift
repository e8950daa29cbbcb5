// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel
import TransferScheduling

/// A store in memory, for work that ends with this process.
final class EphemeralStore: TransferStore {
    fileprivate struct Contents {
        var last: Int64 = 0
        var transfers: [TransferID: StoredTransfer] = [:]
    }

    private let contents = Mutex(Contents())
    private let earlier: PersistedStatistics?

    /// Creates an empty store.
    ///
    /// - Parameter statistics: The statistics of earlier runs, or `nil` if there are none.
    init(statistics: PersistedStatistics?) { earlier = statistics }

    @discardableResult
    func commit(_ changes: [StoreChange]) async throws -> [TransferID] {
        contents.withLock { contents in changes.compactMap { contents.apply($0) } }
    }

    /// Passes nothing, because nothing outlives the process.
    func recover(_ receive: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws {}

    func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] {
        contents.withLock { contents in ids.compactMap { contents.transfers[$0] } }
    }

    func statistics() async throws -> PersistedStatistics? { earlier }

    func close() async {}
}

extension EphemeralStore.Contents {
    /// Applies a change, and returns the ID of a new transfer.
    fileprivate mutating func apply(_ change: StoreChange) -> TransferID? {
        switch change {
        case .submitted(let transfer):
            last += 1
            let id = TransferID(last)
            transfers[id] = StoredTransfer(
                id: id, specification: transfer.specification, resume: transfer.resume, key: transfer.key)
            return id
        case .respecified(let id, let specification): transfers[id]?.specification = specification
        // The engine reads nothing else again, because the command ends with this process.
        case .inserted, .checkpointed, .retried, .suspended, .held, .relaunchDelayed, .ended, .statistics: break
        }
        return nil
    }
}
