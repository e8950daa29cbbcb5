// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@Suite("InMemoryTransferStore")
struct InMemoryTransferStoreTests {
    @Test("keeps the contract of its port", arguments: TransferStoreContract.Check.allCases)
    func contract(_ check: TransferStoreContract.Check) async throws {
        let contract = TransferStoreContract {
            let disk = InMemoryTransferStore.Disk()
            return { InMemoryTransferStore(disk: disk) }
        }
        try await contract.run(check)
    }

    @Test("fails on request, and saves nothing while it fails")
    func failure() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        let full = TransferStoreError(code: .diskFull, message: "full")
        disk.fail(with: full)
        await #expect(throws: full) { try await store.commit([.inserted(StoredTransferSamples.plain(1))]) }
        let new = StoreChange.submitted(NewTransfer(StoredTransferSamples.plain(1).specification))
        await #expect(throws: full) { try await store.commit([new]) }
        disk.fail(with: nil)
        #expect(try await store.unfinished().isEmpty)
        #expect(try await store.commit([new]) == [TransferID(1)])
        let unreadable = TransferStoreError(code: .corrupt, message: "unreadable")
        disk.failReading(with: unreadable)
        await #expect(throws: unreadable) { try await store.transfers([TransferID(1)]) }
        disk.failReading(with: nil)
        #expect(try await store.transfers([TransferID(1)]).count == 1)
    }

    @Test("records every commit, and the remains of ended transfers")
    func records() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        let transfer = StoredTransferSamples.full(1)
        try await store.commit([.inserted(transfer)])
        try await store.commit([.ended(transfer.id, .cancelled)])
        #expect(disk.commits == [[.inserted(transfer)], [.ended(transfer.id, .cancelled)]])
        let left = StoredTransfer(
            id: transfer.id, specification: transfer.specification.redacted, ending: .cancelled, key: "key")
        #expect(disk.transfers == [left])
        #expect(try await store.latest(forKey: "key") == left)
        #expect(try await store.latest(forKey: "other") == nil)
    }
}
