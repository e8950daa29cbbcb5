// SPDX-License-Identifier: Apache-2.0
import Dispatch
import GRDB
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@testable import SQLiteStore

@Suite("SQLiteStore: requests during an open transaction")
struct OpenTransactionTests {
    private let store: SQLiteStore
    private let commits = Counter()
    private let opened = Counter()
    private let latch = DispatchSemaphore(value: 0)

    private final class Counter: Sendable {
        let count = Mutex(0)

        func add() { count.withLock { $0 += 1 } }
    }

    private static let submission = StoreChange.submitted(
        NewTransfer(StoredTransferSamples.plain(1).specification))

    init() async throws {
        store = try StoreFixture().open()
        try await store.database.writeWithoutTransaction { [commits] database in
            database.trace { event in if event.description == "COMMIT" { commits.add() } }
        }
    }

    /// Opens a transaction that stays open until the semaphore is signaled.
    private func openTransaction() async -> Task<Void, any Error> {
        let task = Task { [store, opened, latch] in
            try await store.writer.perform { _ in
                opened.add()
                latch.wait()
                return false
            }
        }
        while opened.count.withLock({ $0 }) == 0 { await Task.yield() }
        return task
    }

    /// Submits a commit and returns after it is waiting.
    private func commit(_ changes: [StoreChange]) async -> Task<[TransferID], any Error> {
        let count = store.writer.waitingCount
        let task = Task { [store] in try await store.commit(changes) }
        while store.writer.waitingCount == count { await Task.yield() }
        return task
    }

    @Test("They join the transaction in order; a refused request leaves the others")
    func joins() async throws {
        let first = await openTransaction()
        let one = await commit([Self.submission])
        let refused = await commit([Self.submission, .suspended(TransferID(77), true)])
        store.writer.performLater { try $0.execute(sql: "INSERT INTO moment (task, time, kind) VALUES (1, 0, '')") }
        let two = await commit([Self.submission, Self.submission])
        latch.signal()
        try await first.value
        #expect(try await one.value == [TransferID(1)])
        let error = await #expect(throws: TransferStoreError.self) { try await refused.value }
        #expect(error?.code == .noSuchTransfer)
        let given = try await two.value
        #expect(given.count == 2 && given[0] < given[1] && given[0] > TransferID(1))
        #expect(commits.count.withLock { $0 } == 1)
        #expect(try await store.unfinished().map(\.id) == [TransferID(1)] + given)
        let events = try await store.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM moment")
        }
        #expect(events == 1)
    }

    @Test("An error that fails the transaction fails all its requests, and the next transaction works")
    func dooms() async throws {
        let first = await openTransaction()
        let one = await commit([Self.submission])
        let doom = Task { [store] in
            try await store.writer.perform { _ in throw DatabaseError(resultCode: .SQLITE_FULL) }
        }
        while store.writer.waitingCount < 2 { await Task.yield() }
        latch.signal()
        await #expect(throws: TransferStoreError.self) { try await first.value }
        let error = await #expect(throws: TransferStoreError.self) { try await one.value }
        #expect(error?.code == .diskFull)
        await #expect(throws: TransferStoreError.self) { try await doom.value }
        #expect(try await store.unfinished().isEmpty)
        #expect(try await store.commit([Self.submission]) == [TransferID(1)])
    }

    @Test("Requests before close are saved, and requests after it are refused")
    func closes() async throws {
        let first = await openTransaction()
        let one = await commit([Self.submission])
        store.writer.refuseFurtherRequests()
        await #expect(throws: TransferStoreError.self) { try await store.commit([Self.submission]) }
        latch.signal()
        await store.close()
        try await first.value
        #expect(try await one.value == [TransferID(1)])
        #expect(commits.count.withLock { $0 } == 1)
    }
}
