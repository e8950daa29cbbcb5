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
        case .submitted(let transfer, let resume):
            last += 1
            let id = TransferID(last)
            transfers[id] = StoredTransfer(
                id: id, specification: transfer.specification, resume: resume, key: transfer.key)
            return id
        case .inserted(let transfer):
            last = max(last, transfer.id.rawValue)
            transfers[transfer.id] = transfer
        case .respecified(let id, let specification): transfers[id]?.specification = specification
        case .checkpointed(let id, let resume): transfers[id]?.resume = resume
        case .retried(let id, let retry): transfers[id]?.retry = retry
        case .suspended(let id, let isSuspended): transfers[id]?.isSuspended = isSuspended
        case .held(let id, let hold): transfers[id]?.hold = hold
        case .relaunchDelayed(let id, let delay): transfers[id]?.relaunchDelay = delay
        case .ended(let id, let ending): transfers[id]?.ending = ending
        // The statistics of a command's waits would say nothing about transfers.
        case .statistics: break
        }
        return nil
    }
}
