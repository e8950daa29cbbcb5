// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
internal import TransferModel
import TransferPolicy

/// Saves changes in the order in which they were made, and keeps those that could not be saved for the next time.
///
/// One engine commits; what it leaves to be saved later is saved beside it.
final class StoreWriter: Sendable {
    fileprivate struct State {
        /// Changes that could not be saved yet; they go before the next ones.
        var unsaved: [StoreChange] = []
        /// Why they could not be saved; nil once they are.
        var trouble: TransferStoreError?
        /// Saves what can wait. Awaited before anything else is saved, so that the order stays.
        var background: Task<Void, Never>?
    }

    private let store: any TransferStore
    private let updates: AsyncStream<EngineUpdate>.Continuation
    private let state = Mutex(State())

    /// A writer into `store`, which tells trouble as an update.
    init(store: any TransferStore, updates: AsyncStream<EngineUpdate>.Continuation) {
        (self.store, self.updates) = (store, updates)
    }

    /// Why the last changes could not be saved; nil if everything is.
    var trouble: TransferStoreError? { state.withLock { $0.unsaved.isEmpty ? nil : $0.trouble } }

    /// Whether the end of that transfer is in the store: a store in trouble may still lack it.
    func hasSavedEnd(of id: TransferID) -> Bool {
        state.withLock { !$0.unsaved.contains { if case .ended(id, _) = $0 { true } else { false } } }
    }

    /// Saves `changes` after those that could not be saved before, and returns when that is done or has failed.
    ///
    /// Without changes there is nothing to wait for.
    nonisolated(nonsending) func commit(_ changes: [StoreChange]) async {
        guard !changes.isEmpty else { return }
        state.withLock { for change in changes { $0.keep(change) } }
        await flush()
    }

    /// Saves whatever is not saved yet.
    nonisolated(nonsending) func flush() async {
        // One writer at a time: what it has taken on goes first.
        while let background = state.withLock({ $0.background }) { await background.value }
        if state.withLock({ !$0.unsaved.isEmpty }) { await write() }
    }

    /// Saves changes that nothing waits for: a store that is slow must not hold up a stop.
    ///
    /// The task is always awaited: by the next ``commit(_:)``, at the latest by the engine's last ``flush()``.
    func commitLater(_ changes: [StoreChange]) {
        guard !changes.isEmpty else { return }
        state.withLock { state in
            for change in changes { state.keep(change) }
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
            state.withLock { $0.trouble = nil }
        } catch let error as TransferStoreError where error.code == .noSuchTransfer {
            // Another process that shares the queue has ended one of them. The rest must not wait for it for ever.
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
                updates.yield(.storeTrouble(error))
            } catch {
                return putBack(batch[index...], TransferStoreError(error))
            }
        }
        state.withLock { $0.trouble = nil }
    }

    /// What could not be saved goes before what came meanwhile.
    private func putBack(_ batch: ArraySlice<StoreChange>, _ trouble: TransferStoreError) {
        let isNew = state.withLock { state in
            let later = state.unsaved
            state.unsaved = Array(batch)
            for change in later { state.keep(change) }
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
        // Told once, not with every checkpoint.
        if isNew { updates.yield(.storeTrouble(trouble)) }
    }
}

extension StoreWriter.State {
    /// Of several places to continue from that could not be saved, only the last counts, and of what was learned too; the
    /// list must not grow with every checkpoint of a full disk.
    fileprivate mutating func keep(_ change: StoreChange) {
        switch change {
        case .checkpointed(let id, _): unsaved.removeAll { if case .checkpointed(id, _) = $0 { true } else { false } }
        case .learned: unsaved.removeAll { if case .learned = $0 { true } else { false } }
        case .ended(let id, _):
            // Of its progress only what the ending keeps stays.
            unsaved.removeAll { if case .checkpointed(id, _) = $0 { true } else { false } }
        case .submitted, .inserted, .respecified, .retried, .suspended, .held, .relaunchHeld:
            // Rare, each for a reason of its own.
            break
        }
        unsaved.append(change)
    }
}

extension TransferStoreError {
    /// The error of a store, whatever its type.
    init(_ error: any Error) {
        self = error as? TransferStoreError ?? TransferStoreError(code: .other, message: "\(error)")
    }
}
