// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
internal import TransferModel
import TransferPolicy

/// Saves changes in order, and keeps unsaved changes for the next commit.
///
/// Only the engine commits. Changes for later are saved by a background task.
final class StoreWriter: Sendable {
    fileprivate struct State {
        /// The changes that could not be saved yet. They precede the next changes.
        var unsaved: [StoreChange] = []
        /// The error of the last failed commit, or `nil` after a successful commit.
        var storeError: TransferStoreError?
        /// The task that saves changes for later. Awaited before other commits, which keeps the order.
        var background: Task<Void, Never>?
    }

    private let store: any TransferStore
    private let updates: AsyncStream<EngineUpdate>.Continuation
    private let state = Mutex(State())

    /// Creates a writer into `store`, which reports errors as updates.
    init(store: any TransferStore, updates: AsyncStream<EngineUpdate>.Continuation) {
        (self.store, self.updates) = (store, updates)
    }

    /// The reason why the last changes could not be saved, or `nil` if all changes are saved.
    var storeError: TransferStoreError? { state.withLock { $0.unsaved.isEmpty ? nil : $0.storeError } }

    /// Returns whether the store contains the end of a transfer. After an error, the end may still be unsaved.
    func hasSavedEnd(of id: TransferID) -> Bool {
        state.withLock { !$0.unsaved.contains { if case .ended(id, _) = $0 { true } else { false } } }
    }

    /// Saves `changes` after all earlier unsaved changes. Returns after the commit succeeded or failed.
    ///
    /// Returns immediately if `changes` is empty.
    nonisolated(nonsending) func commit(_ changes: [StoreChange]) async {
        guard !changes.isEmpty else { return }
        state.withLock { for change in changes { $0.add(change) } }
        await flush()
    }

    /// Saves all unsaved changes.
    nonisolated(nonsending) func flush() async {
        // Only one task writes at a time. Changes of the background task go first.
        while let background = state.withLock({ $0.background }) { await background.value }
        if state.withLock({ !$0.unsaved.isEmpty }) { await write() }
    }

    /// Saves changes that nothing waits for, because a slow store must not delay a stop.
    ///
    /// The background task is always awaited: by the next ``commit(_:)``, or at the latest by the engine's last
    /// ``flush()``.
    func commitLater(_ changes: [StoreChange]) {
        guard !changes.isEmpty else { return }
        state.withLock { state in
            for change in changes { state.add(change) }
            guard state.background == nil else { return }
            state.background = Task {
                await write()
                self.state.withLock { $0.background = nil }
            }
        }
    }

    private nonisolated(nonsending) func write() async {
        let batch = state.withLock { state in
            defer { state.unsaved = [] }
            return state.unsaved
        }
        do {
            try await store.commit(batch)
            state.withLock { $0.storeError = nil }
        } catch let error as TransferStoreError where error.code == .noSuchTransfer {
            // Another process that shares the queue has ended one of the transfers. The other changes must not wait
            // forever.
            await writeOneByOne(batch)
        } catch {
            putBack(batch[...], TransferStoreError(error))
        }
    }

    private nonisolated(nonsending) func writeOneByOne(_ batch: [StoreChange]) async {
        for (index, change) in batch.enumerated() {
            do {
                try await store.commit([change])
            } catch let error as TransferStoreError where error.code == .noSuchTransfer {
                updates.yield(.storeError(error))
            } catch {
                return putBack(batch[index...], TransferStoreError(error))
            }
        }
        state.withLock { $0.storeError = nil }
    }

    /// Keeps a failed batch, which precedes all changes that arrived in the meantime.
    private func putBack(_ batch: ArraySlice<StoreChange>, _ storeError: TransferStoreError) {
        let isNew = state.withLock { state in
            let later = state.unsaved
            state.unsaved = Array(batch)
            for change in later { state.add(change) }
            defer { state.storeError = storeError }
            return state.storeError != storeError
        }
        // An error is reported once, not with every checkpoint.
        if isNew { updates.yield(.storeError(storeError)) }
    }
}

extension StoreWriter.State {
    /// Adds a change to the unsaved changes.
    ///
    /// Of several unsaved resume points of a transfer, only the last is kept, and only the last statistics are kept.
    /// The list therefore does not grow with every checkpoint while the disk is full.
    fileprivate mutating func add(_ change: StoreChange) {
        switch change {
        case .checkpointed(let id, _): unsaved.removeAll { if case .checkpointed(id, _) = $0 { true } else { false } }
        case .statistics: unsaved.removeAll { if case .statistics = $0 { true } else { false } }
        case .ended(let id, _):
            // Only the progress that the ending keeps remains.
            unsaved.removeAll { if case .checkpointed(id, _) = $0 { true } else { false } }
        case .submitted, .inserted, .respecified, .retried, .suspended, .held, .relaunchDelayed:
            // These changes are rare, and each is needed.
            break
        }
        unsaved.append(change)
    }
}

extension TransferStoreError {
    /// Creates a store error from an error of any type.
    init(_ error: any Error) {
        self = error as? TransferStoreError ?? TransferStoreError(code: .other, message: "\(error)")
    }
}
