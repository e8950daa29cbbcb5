// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

extension TransferEngine {
    /// Saves `changes` after those that could not be saved before, and returns when that is done or has failed.
    ///
    /// Without changes there is nothing to wait for.
    func commit(_ changes: [StoreChange]) async {
        guard !changes.isEmpty else { return }
        for change in changes { keep(change) }
        await flush()
    }

    /// Saves whatever is not saved yet.
    func flush() async {
        // One writer at a time: what it has taken on goes first.
        while let writer { await writer.value }
        if !unsaved.isEmpty { await write() }
    }

    /// Saves a change that nothing waits for, beside the inbox: a store that is slow must not hold up a stop.
    ///
    /// The task is the engine's own and always awaited: by the next `commit`, at the latest by the one at the end.
    func commitLater(_ change: StoreChange) {
        keep(change)
        guard writer == nil else { return }
        writer = Task {
            await write()
            writer = nil
        }
    }

    private func write() async {
        let batch = unsaved
        unsaved = []
        do {
            try await store.commit(batch)
            trouble = nil
        } catch let error as TransferStoreError where error.code == .noSuchTransfer {
            // Another process that shares the queue has ended one of them. The rest must not wait for it for ever.
            await writeOneByOne(batch)
        } catch {
            putBack(batch[...], error)
        }
    }

    private func writeOneByOne(_ batch: [StoreChange]) async {
        for (index, change) in batch.enumerated() {
            do {
                try await store.commit([change])
            } catch let error as TransferStoreError where error.code == .noSuchTransfer {
                updateContinuation.yield(.storeTrouble(error))
            } catch {
                return putBack(batch[index...], error)
            }
        }
        trouble = nil
    }

    /// What could not be saved goes before what came meanwhile.
    private func putBack(_ batch: ArraySlice<StoreChange>, _ error: any Error) {
        let later = unsaved
        unsaved = Array(batch)
        for change in later { keep(change) }
        let new = error as? TransferStoreError ?? TransferStoreError(code: .other, message: "\(error)")
        // Told once, not with every checkpoint.
        if trouble != new { updateContinuation.yield(.storeTrouble(new)) }
        trouble = new
    }

    /// Of several places to continue from that could not be saved, only the last counts, and of what was learned too; the
    /// list must not grow with every checkpoint of a full disk.
    private func keep(_ change: StoreChange) {
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
