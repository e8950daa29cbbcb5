// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

extension TransferEngine {
    /// Saves `changes` after those that could not be saved before.
    func commit(_ changes: [StoreChange]) async {
        for change in changes { keep(change) }
        guard !unsaved.isEmpty else { return }
        do {
            try await store.commit(unsaved)
            unsaved = []
        } catch let error as TransferStoreError where error.code == .noSuchTransfer {
            // Another process that shares the queue has ended one of them. The rest must not wait for it for ever.
            await commitOneByOne()
        } catch {
            tellTrouble(error)
        }
    }

    /// Of several places to continue from that could not be saved, only the last counts; the list must not grow with
    /// every checkpoint of a full disk.
    private func keep(_ change: StoreChange) {
        if case .checkpointed(let id, _) = change {
            unsaved.removeAll { if case .checkpointed(id, _) = $0 { true } else { false } }
        }
        unsaved.append(change)
    }

    private func commitOneByOne() async {
        while let change = unsaved.first {
            do {
                try await store.commit([change])
            } catch let error as TransferStoreError where error.code == .noSuchTransfer {
                tellTrouble(error)
            } catch {
                tellTrouble(error)
                return
            }
            unsaved.removeFirst()
        }
    }

    private func tellTrouble(_ error: any Error) {
        let trouble = error as? TransferStoreError ?? TransferStoreError(code: .other, message: "\(error)")
        updateContinuation.yield(.storeTrouble(trouble))
    }
}
