// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferPolicy
import TransferScheduling
import TransferTesting

@testable import TransferEngine
@testable import TransferModel

@Suite("TransferEngine: a queue that stays in the store")
struct EngineQueueTests {
    private func disk(_ transfers: Int64, kind: WorkKind = .userInitiated) async throws -> InMemoryTransferStore.Disk {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        try await store.commit(
            (1...transfers).map { id in
                .inserted(StoredTransfer(id: TransferID(id), specification: EngineRig.specification(kind)))
            })
        return disk
    }

    @Test("Of thousands that wait, only those that run are held whole; each is read when its turn comes")
    func sparse() async throws {
        let disk = try await disk(3000)
        let rig = EngineRig(disk: disk)
        try await rig.run { updates in
            #expect(await updates.next() == "1 started 1")
            // The first question is answered after all starts.
            let records = await rig.engine.loop.recordCount
            let running = rig.executor.running.count
            #expect(running > 0 && records == running)
            #expect(await rig.engine.explanation(of: TransferID(3000)) != nil)
            try await rig.engine.change(TransferID(2999), TransferChange(priority: 7))
            #expect(await rig.engine.loop.recordCount == running)
            try await rig.engine.cancel(TransferID(3000))
        }
        #expect(disk.transfers.last?.ending == .cancelled)
        #expect(disk.transfers[2998].specification.traits.priority == 7)
    }

    @Test("What cannot be read is tried again later, and nothing of it is forgotten")
    func unreadable() async throws {
        let disk = try await disk(1)
        let resume = ResumePoint(path: "/p", offset: 4096, total: nil, validator: nil, bootID: "b")
        try await InMemoryTransferStore(disk: disk).commit([.checkpointed(TransferID(1), resume)])
        disk.failReading(with: TransferStoreError(code: .corrupt, message: "unreadable"))
        let rig = EngineRig(disk: disk)
        try await rig.run { updates in
            var seen: [String] = []
            while seen.count < 2, let update = await updates.next() { seen.append(update) }
            #expect(seen.contains("trouble corrupt"))
            #expect(rig.executor.log.isEmpty)
            #expect(seen.contains { $0.hasPrefix("1 retrying") })
            #expect(disk.transfers.first?.resume == resume)
            disk.failReading(with: nil)
            try await rig.engine.resume(TransferID(1))
            #expect(await updates.next() == "1 started 2")
            #expect(rig.executor.log == [.start(TransferID(1), offset: 4096)])
        }
    }

    @Test("What starts first is decided when the whole queue is there: by rank, not by number")
    func rank() async throws {
        let disk = try await disk(20, kind: .normal)
        let urgent = StoredTransfer(id: TransferID(21), specification: EngineRig.specification(host: "x"))
        try await InMemoryTransferStore(disk: disk).commit([.inserted(urgent)])
        let rig = EngineRig(disk: disk)
        try await rig.run { updates in
            #expect(await updates.next() == "21 started 1")
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test("A queue that cannot be read after the first look ends the run, and nothing has begun")
    func unreadableQueue() async throws {
        let disk = try await disk(5)
        disk.failRecovery(with: TransferStoreError(code: .corrupt, message: "broken"), after: 2)
        let rig = EngineRig(disk: disk)
        // Nothing starts even if another snapshot waits in the inbox.
        rig.source.send(EngineRig.meteredConditions())
        await #expect(throws: TransferStoreError(code: .corrupt, message: "broken")) { try await rig.engine.run() }
        #expect(rig.executor.log == [.shutdown])
        #expect(disk.commits.count == 1 || disk.commits.dropFirst().allSatisfy { $0.allSatisfy(\.isLearned) })
    }
}

extension EngineLoop {
    /// The number of transfers for which the engine holds a record.
    fileprivate var recordCount: Int { driver.records.count }
}

extension StoreChange {
    fileprivate var isLearned: Bool { if case .learned = self { true } else { false } }
}
