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
                .inserted(StoredTransfer(id: TransferID(id), specification: EngineFixture.specification(kind)))
            })
        return disk
    }

    @Test("Of thousands of waiting transfers, only running ones are in memory; each is read for its start")
    func sparse() async throws {
        let disk = try await disk(3000)
        let fixture = EngineFixture(disk: disk)
        try await fixture.run { updates in
            #expect(await updates.next() == "1 started 1")
            // The first request is handled after all starts.
            let records = await fixture.engine.loop.recordCount
            let running = fixture.executor.running.count
            #expect(running > 0 && records == running)
            #expect(await fixture.engine.explanation(of: TransferID(3000)) != nil)
            try await fixture.engine.change(TransferID(2999), TransferChange(priority: 7))
            #expect(await fixture.engine.loop.recordCount == running)
            try await fixture.engine.cancel(TransferID(3000))
        }
        #expect(disk.transfers.last?.ending == .cancelled)
        #expect(disk.transfers[2998].specification.traits.priority == 7)
    }

    @Test("An unreadable transfer is tried again later, and nothing is lost")
    func unreadable() async throws {
        let disk = try await disk(1)
        let resume = ResumePoint(path: "/p", offset: 4096, total: nil, validator: nil, bootID: "b")
        try await InMemoryTransferStore(disk: disk).commit([.checkpointed(TransferID(1), resume)])
        disk.failReading(with: TransferStoreError(code: .corrupt, message: "unreadable"))
        let fixture = EngineFixture(disk: disk)
        try await fixture.run { updates in
            var seen: [String] = []
            while seen.count < 2, let update = await updates.next() { seen.append(update) }
            #expect(seen.contains("store error corrupt"))
            #expect(fixture.executor.log.isEmpty)
            #expect(seen.contains { $0.hasPrefix("1 retrying") })
            #expect(disk.transfers.first?.resume == resume)
            disk.failReading(with: nil)
            try await fixture.engine.resume(TransferID(1))
            #expect(await updates.next() == "1 started 2")
            #expect(fixture.executor.log == [.start(TransferID(1), offset: 4096)])
        }
    }

    @Test("A queue that cannot be read after the first snapshot ends the run, and nothing starts")
    func unreadableQueue() async throws {
        let disk = try await disk(5)
        disk.failRecovery(with: TransferStoreError(code: .corrupt, message: "broken"), after: 2)
        let fixture = EngineFixture(disk: disk)
        // Nothing starts even if another snapshot waits in the inbox.
        fixture.source.send(EngineFixture.meteredConditions())
        await #expect(throws: TransferStoreError(code: .corrupt, message: "broken")) { try await fixture.engine.run() }
        #expect(fixture.executor.log == [.shutdown])
        #expect(disk.commits.count == 1 || disk.commits.dropFirst().allSatisfy { $0.allSatisfy(\.isStatistics) })
    }
}

extension EngineLoop {
    /// The number of transfers for which the engine holds a record.
    fileprivate var recordCount: Int { driver.records.count }
}

extension StoreChange {
    fileprivate var isStatistics: Bool { if case .statistics = self { true } else { false } }
}
