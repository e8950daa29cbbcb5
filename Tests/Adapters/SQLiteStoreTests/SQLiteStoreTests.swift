// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import GRDB
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@testable import SQLiteStore

@Suite("SQLiteStore")
struct SQLiteStoreTests {
    private static let submission = StoreChange.submitted(
        NewTransfer(StoredTransferSamples.plain(1).specification))

    @Test("The store satisfies the contract of its port", arguments: TransferStoreContract.Check.allCases)
    func contract(_ check: TransferStoreContract.Check) async throws {
        let contract = TransferStoreContract {
            let fixture = try StoreFixture()
            return { try fixture.open() }
        }
        try await contract.run(check)
    }

    @Test("The writing connection uses synchronous=FULL, WAL, and secure_delete")
    func pragmas() async throws {
        let store = try StoreFixture().open()
        let (synchronous, mode, secureDelete) = try await store.database.writeWithoutTransaction { database in
            (
                try Int.fetchOne(database, sql: "PRAGMA synchronous"),
                try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(database, sql: "PRAGMA secure_delete")
            )
        }
        #expect(synchronous == 2)
        #expect(mode == "wal")
        #expect(secureDelete == 1)
    }

    @Test("A scope of keys limits the recovered transfers to those keys")
    func scope() async throws {
        let fixture = try StoreFixture()
        let all = try fixture.open()
        let transfers = [nil, "a", "b", "a", "c\"'"].enumerated().map { index, key in
            StoredTransferSamples.plain(Int64(index) + 1, key: key)
        }
        try await all.commit(transfers.map { .inserted($0) })
        #expect(try await all.unfinished() == transfers)
        #expect(try await fixture.open(.keys(["a"])).unfinished().map(\.id.rawValue) == [2, 4])
        #expect(try await fixture.open(.keys(["b", "a", "z"])).unfinished().map(\.id.rawValue) == [2, 3, 4])
        #expect(try await fixture.open(.keys([])).unfinished().isEmpty)
    }

    @Test("The latest transfer of a key is the newest, ended or not, and redacted after its end")
    func latest() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let (first, second) = (StoredTransferSamples.full(1), StoredTransferSamples.full(2))
        try await store.commit([.inserted(first), .inserted(StoredTransferSamples.plain(3, key: "other"))])
        #expect(try await store.latest(forKey: "key") == first)
        try await store.commit([.inserted(second)])
        #expect(try await store.latest(forKey: "key") == second)
        for ending in StoredTransferSamples.endings.prefix(1) {
            try await store.commit([.ended(second.id, ending)])
            let left = StoredTransfer(
                id: second.id, specification: second.specification.redacted, ending: ending, key: "key")
            #expect(try await store.latest(forKey: "key") == left)
            #expect(try await fixture.open(.keys([])).latest(forKey: "key") == left)
        }
        #expect(try await store.latest(forKey: "none") == nil)
    }

    @Test("A row contains no values of the row before it")
    func rowsApart() async throws {
        let store = try StoreFixture().open()
        var transfers = (1...6).map { id in
            id.isMultiple(of: 2) ? StoredTransferSamples.full(Int64(id)) : StoredTransferSamples.plain(Int64(id))
        }
        transfers[2].specification.destination = Destination(directory: "", name: "", collision: .overwrite)
        transfers[4].specification.destination = Destination(directory: "/elsewhere", name: nil, collision: .fail)
        transfers[4].specification.url = ""
        try await store.commit(transfers.map { .inserted($0) })
        #expect(try await store.transfers(transfers.map(\.id)) == transfers)
    }

    @Test("Commits that wait for the writer share one transaction")
    func groupCommit() async throws {
        let store = try StoreFixture().open()
        let commits = CommitCounter()
        try await store.database.writeWithoutTransaction { database in
            database.trace { event in if event.description == "COMMIT" { commits.count.withLock { $0 += 1 } } }
        }
        let latch = DispatchSemaphore(value: 0)
        store.database.asyncWriteWithoutTransaction { _ in latch.wait() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in Int64(1)...50 {
                group.addTask { try await store.commit([.inserted(StoredTransferSamples.plain(index))]) }
            }
            while store.writer.waitingCount < 50 { await Task.yield() }
            latch.signal()
            try await group.waitForAll()
        }
        #expect(commits.count.withLock { $0 } == 1)
        #expect(try await store.unfinished().count == 50)
    }

    @Test("A process that holds the lock is reported, and the store continues after its release")
    func busy() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open(busyTimeout: .milliseconds(20))
        let other = try fixture.raw()
        try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
        let error = await #expect(throws: TransferStoreError.self) { try await store.commit([Self.submission]) }
        #expect(error?.code == .other)
        #expect(error?.message.contains("fuser \(fixture.path)") == true)
        #expect(throws: TransferStoreError.self) { try fixture.open(busyTimeout: .milliseconds(20)) }
        try await other.writeWithoutTransaction { try $0.rollback() }
        #expect(try await store.commit([Self.submission]) == [TransferID(1)])
    }

    @Test("Opening a new file waits, up to the timeout, for a process that creates it at the same time")
    func waitsToOpen() async throws {
        let fixture = try StoreFixture()
        try FileManager.default.createDirectory(
            atPath: fixture.folder.path + "/state", withIntermediateDirectories: true)
        let other = try fixture.raw()
        try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
        let clock = ContinuousClock()
        let waited = clock.measure {
            #expect(throws: TransferStoreError.self) { try fixture.open(busyTimeout: .milliseconds(60)) }
        }
        // SQLite itself does not wait when it switches to WAL.
        #expect(waited >= .milliseconds(60))
        try await other.writeWithoutTransaction { try $0.rollback() }
        #expect(try await fixture.open().commit([Self.submission]) == [TransferID(1)])
    }

    @Test("A queue of several chunks is recovered in order, each transfer with its own traits and state")
    func recoversLongQueue() async throws {
        let store = try StoreFixture().open()
        let count = 2 * QueueReader.chunkLength + 1
        let traits = (0..<count).map { index in
            // More classes than the cache has entries, so that some classes share an entry.
            TransferTraits(
                kind: index % 3 == 0 ? .normal : .discretionary, priority: index % 601, host: "https://a.example:443",
                expectedBytesToReceive: index % 2 == 0 ? Int64(index) : nil,
                submitted: WallTime(secondsSinceEpoch: Int64(index)))
        }
        var specification = StoredTransferSamples.plain(1).specification
        let ids = try await store.commit(
            traits.map { traits in
                specification.traits = traits
                return .submitted(NewTransfer(specification))
            })
        let paused = Set(stride(from: 0, to: count, by: 5000).map { ids[$0] })
        try await store.commit(paused.map { .suspended($0, true) })
        let recovered = Mutex<[RecoveredTransfer]>([])
        try await store.recover { batch in recovered.withLock { $0 += batch } }
        let all = recovered.withLock { $0 }
        try #require(all.count == count)
        // Not the arrays: printing the difference between two of them would take hours.
        let wrong = all.indices.filter { all[$0].id != ids[$0] || all[$0].traits != traits[$0] }
        #expect(wrong.first == nil)
        #expect(Set(all.filter(\.state.isPaused).map(\.id)) == paused)
    }

    @Test("A canceled recovery throws, because it has not passed on the whole queue")
    func cancelledRecovery() async throws {
        let store = try StoreFixture().open()
        try await store.commit((0..<3).map { _ in Self.submission })
        let (taken, continuation) = AsyncStream.makeStream(of: Void.self)
        let recovery = Task {
            try await store.recover { _ in
                // Waits until the recovery is canceled.
                for await _ in taken {}
            }
        }
        recovery.cancel()
        continuation.finish()
        await #expect(throws: CancellationError.self) { try await recovery.value }
        // The canceled recovery does not block later commits.
        #expect(try await store.commit([Self.submission]) == [TransferID(4)])
    }

    @Test("One query finds the newest transfer of each of ten thousand keys")
    func latestOfMany() async throws {
        let store = try StoreFixture().open()
        let keys = (1...10_000).map { "key \($0)'\"" }
        // Each key twice, the first of them ended.
        let specification = StoredTransferSamples.plain(1).specification
        let ids = try await store.commit(
            (keys + keys).map { .submitted(NewTransfer(specification, key: $0)) })
        #expect(ids == (1...20_000).map { TransferID($0) })
        let transfers = zip(ids, keys + keys).map { StoredTransfer(id: $0, specification: specification, key: $1) }
        try await store.commit(ids.prefix(10).map { .ended($0, .cancelled) })
        let latest = try await store.latest(forKeys: keys + ["unknown", keys[0]])
        #expect(latest.count == 10_000)
        for (index, key) in keys.enumerated() where latest[key] != transfers[10_000 + index] {
            Issue.record("\(key) led to \(String(describing: latest[key]?.id))")
        }
        #expect(try await store.latest(forKeys: []) == [:])
    }
}

/// Counts the commits that the connection performs.
private final class CommitCounter: Sendable {
    let count = Mutex(0)
}
