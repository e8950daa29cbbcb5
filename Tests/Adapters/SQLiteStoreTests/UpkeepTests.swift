// SPDX-License-Identifier: Apache-2.0
import Foundation
import GRDB
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@testable import SQLiteStore

@Suite("SQLiteStore: upkeep", .timeLimit(.minutes(5)))
struct UpkeepTests {
    private func store(
        _ fixture: StoreFixture, change: (inout SQLiteStoreConfiguration) -> Void = { _ in }
    ) throws -> SQLiteStore {
        var configuration = SQLiteStoreConfiguration(path: fixture.path)
        // No automatic upkeep: each test starts it.
        configuration.idleTime = .seconds(86_400)
        change(&configuration)
        return try SQLiteStore(configuration)
    }

    private func count(_ table: String, _ fixture: StoreFixture) async throws -> Int? {
        try await fixture.raw().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
    }

    @Test("Events are folded into equivalent rows, and rows in the initial state are removed")
    func folds() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture)
        var expected = StoredTransferSamples.full(1)
        try await store.commit([.inserted(expected), .inserted(StoredTransferSamples.full(2))])
        expected.resume?.offset = 5
        expected.hold = nil
        try await store.commit([
            .checkpointed(expected.id, StoredTransferSamples.full(1).resume),
            .checkpointed(expected.id, expected.resume),
            .held(expected.id, nil), .suspended(TransferID(2), false), .checkpointed(TransferID(2), nil),
            .retried(TransferID(2), nil), .held(TransferID(2), nil), .relaunchDelayed(TransferID(2), nil),
        ])
        let before = try await store.unfinished()
        #expect(before.first == expected)
        #expect(try await count("event", fixture) ?? 0 > 8)
        try store.upkeep.perform()
        #expect(try await count("event", fixture) == 0)
        #expect(try await count("progress", fixture) == 1)
        #expect(try await store.unfinished() == before)
        // A change on top of the folded state.
        try await store.commit([.suspended(expected.id, false)])
        try store.upkeep.perform()
        expected.isSuspended = false
        #expect(try await fixture.open().unfinished().first == expected)
    }

    @Test("Many events are folded even without idle time")
    func foldsWhenMany() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture)
        try await store.commit([.inserted(StoredTransferSamples.plain(1))])
        let resume = StoredTransferSamples.full(1).resume
        for _ in 0..<5 { try await store.commit((0..<1000).map { _ in .checkpointed(TransferID(1), resume) }) }
        #expect(try await count("event", fixture) ?? .max <= 1000)
        #expect(try await store.unfinished().first?.resume == resume)
    }

    @Test("Upkeep starts automatically after a time without commits")
    func idle() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture) { $0.idleTime = .milliseconds(50) }
        try await store.commit([.inserted(StoredTransferSamples.full(1))])
        while try await count("event", fixture) != 0 { await Task.yield() }
        #expect(try await store.unfinished() == [StoredTransferSamples.full(1)])
    }

    @Test("C15: a store that is never idle still performs upkeep, including the backup")
    func busy() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture) {
            $0.upkeepInterval = .zero
            $0.keepsBackup = true
            $0.retention.count = 3
        }
        try await store.commit((1...10).map { .inserted(StoredTransferSamples.plain($0)) })
        try await store.commit((2...10).map { .ended(TransferID($0), .cancelled) })
        var isSuspended = false
        while try await store.ended(limit: 100).count > 3
            || !FileManager.default.fileExists(atPath: fixture.path + ".backup")
        {
            isSuspended.toggle()
            try await store.commit([.suspended(TransferID(1), isSuspended)])
        }
        #expect(try await store.unfinished().map(\.isSuspended) == [isSuspended])
    }

    @Test("C15: upkeep removes rows in small transactions, and commits run in between")
    func slices() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture) { $0.retention.count = 5 }
        try await store.commit((1...50).map { .inserted(StoredTransferSamples.plain($0)) })
        try await store.commit((1...50).map { .ended(TransferID($0), .cancelled) })
        let other = try fixture.raw()
        var counts: [Int] = []
        try store.upkeep.perform(slice: 10) {
            let count = try other.write { database in
                try database.execute(sql: "UPDATE identifier SET last = last")
                return try Int.fetchOne(database, sql: "SELECT count(*) FROM ended") ?? 0
            }
            counts.append(count)
        }
        #expect(counts == [50, 40, 30, 20, 10, 5, 5])
    }

    @Test("C10: hosts are removed with their transfers, and a class that returns is complete")
    func hosts() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture) {
            $0.retention.count = 0
            $0.keepsBackup = true
        }
        func transfer(_ id: Int64, _ host: String) -> StoredTransfer {
            var transfer = StoredTransferSamples.plain(id)
            (transfer.specification.url, transfer.specification.traits.host) = ("http://\(host)/", "http://\(host):80")
            return transfer
        }
        let hosts = ["one.example", "two.example", "three.example"]
        for (id, host) in zip(Int64(1)..., hosts) { try await store.commit([.inserted(transfer(id, host))]) }
        try await store.commit([.ended(TransferID(2), .cancelled), .ended(TransferID(3), .cancelled)])
        try store.upkeep.perform()
        #expect(try hosts.map { try fixture.contains($0) } == [true, false, false])
        // Two classes are inserted again under their known numbers: one from the middle and the last one. A new class
        // gets neither number.
        let again = [transfer(4, "two.example"), transfer(5, "three.example"), transfer(6, "four.example")]
        for transfer in again { try await store.commit([.inserted(transfer)]) }
        #expect(try await store.unfinished() == [transfer(1, "one.example")] + again)
        await store.close()
        #expect(try await fixture.open().unfinished() == [transfer(1, "one.example")] + again)
    }

    @Test("Ended transfers are removed by count and age; waiting transfers and the last ID stay")
    func forgets() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture) { $0.retention = .init(age: .seconds(3600), count: 3) }
        try await store.commit((1...10).map { .inserted(StoredTransferSamples.plain($0)) })
        try await store.commit((2...10).map { .ended(TransferID($0), .cancelled) })
        try store.upkeep.perform()
        #expect(try await store.ended(limit: 100).map(\.id.rawValue) == [10, 9, 8])
        #expect(try await store.unfinished().map(\.id.rawValue) == [1])
        try await fixture.raw().write { database in
            try database.execute(sql: "UPDATE ended SET time = time - 7200000000000 WHERE task > 8")
        }
        try store.upkeep.perform()
        #expect(try await store.ended(limit: 100).map(\.id.rawValue) == [8])
        #expect(try await count("task", fixture) == 2)
        let new = StoreChange.submitted(NewTransfer(StoredTransferSamples.plain(1).specification))
        #expect(try await store.commit([new]) == [TransferID(11)])
    }

    @Test("History expires, except the conditions in force and the events of waiting transfers")
    func forgetsHistory() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture) { $0.retention = .init(age: .seconds(3600)) }
        let old = WallTime.now.advanced(by: .seconds(-9000))
        try await store.commit([.inserted(StoredTransferSamples.plain(1)), .inserted(StoredTransferSamples.plain(2))])
        try await store.commit([.ended(TransferID(2), .cancelled)])
        for id in Int64(1)...2 { store.record(TransferHistoryEvent(id: TransferID(id), time: old, kind: .started)) }
        for power in [PowerSource.ac, .battery, .unknown] {
            var conditions = Conditions(unknownSince: ClockReading(instant: .zero, wall: old))
            conditions.power = Fact(power, source: .upower, since: ClockReading(instant: .zero, wall: old))
            store.record(conditions, at: old)
        }
        await store.writer.flush()
        try store.upkeep.perform()
        #expect(try await store.history(since: old).conditions.map(\.values.power) == [.unknown])
        #expect(try await store.history(of: TransferID(1))?.events.map(\.kind) == [.submitted, .started])
        #expect(try await store.history(of: TransferID(2))?.events.map(\.kind) == [.submitted])
    }

    @Test("A program that is never idle removes expired rows when it opens the store")
    func forgetsAtOpening() async throws {
        let fixture = try StoreFixture()
        let first = try store(fixture)
        try await first.commit((1...10).map { .inserted(StoredTransferSamples.plain($0)) })
        try await first.commit((1...10).map { .ended(TransferID($0), .cancelled) })
        await first.close()
        let second = try store(fixture) { $0.retention.count = 4 }
        #expect(try await second.ended(limit: 100).count == 4)
    }

    @Test("The log is copied into the database concurrently with commits, and stays short")
    func log() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture)
        let large = String(repeating: "x", count: 100_000)
        for index in Int64(1)...200 {
            var transfer = StoredTransferSamples.plain(index)
            transfer.specification.url += large
            try await store.commit([.inserted(transfer)])
        }
        // 20 MB were written. Without copying, all of it would be in the log.
        let length = try FileManager.default.attributesOfItem(atPath: fixture.path)[.size] as? Int ?? 0
        #expect(length > 4 << 20)
        #expect(try await store.unfinished().count == 200)
    }

    @Test("A connection other than the writer's copies the log")
    func copiesBeside() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture)
        try await store.commit((1...500).map { .inserted(StoredTransferSamples.full($0)) })
        func length() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: fixture.path)[.size] as? Int ?? 0
        }
        let before = try length()
        #expect(LogCheckpointer.copy(fixture.path))
        #expect(try length() > before)
        #expect(!LogCheckpointer.copy(fixture.path + "-none"))
        #expect(try await store.unfinished().count == 500)
    }

    @Test("The log restarts at its beginning while commits continue")
    func logBeginsAgain() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture)
        var transfer = StoredTransferSamples.plain(1)
        transfer.specification.url += String(repeating: "x", count: 100_000)
        var lengths: [Int] = []
        for index in Int64(1)...600 {
            transfer.id = TransferID(index)
            try await store.commit([.inserted(transfer)])
            lengths.append(
                try FileManager.default.attributesOfItem(atPath: fixture.path + "-wal")[.size] as? Int ?? 0)
        }
        // 60 MB were written. If the log kept growing, only the writer's own copy at 80 MB would end that.
        #expect(try #require(lengths.last) < 30 << 20)
    }

    @Test("Only partial files that no transfer resumes from are returned")
    func partials() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture)
        func resume(_ path: String) -> ResumePoint {
            ResumePoint(path: path, offset: 1, total: nil, validator: nil, bootID: "")
        }
        try await store.commit((1...6).map { .inserted(StoredTransferSamples.plain($0)) })
        let failure = TransferFailure(cause: .timeout, message: "late")
        try await store.commit([
            .checkpointed(TransferID(2), resume("/p/9-adopted")), .ended(TransferID(3), .cancelled),
            .ended(TransferID(4), .failed(failure, keeping: resume("/p/4-kept"))),
            .ended(TransferID(5), .completed(TransferCompletion(status: 404, file: nil), keeping: resume("/p/5-kept"))),
            .ended(TransferID(6), .failed(failure)),
        ])
        let files: [(path: String, transfer: TransferID)] = [
            ("/p/1-waits", 1), ("/p/9-adopted", 9), ("/p/3-cancelled", 3), ("/p/4-kept", 4), ("/p/5-kept", 5),
            ("/p/6-over", 6), ("/p/99-unknown", 99),
        ].map { ($0, TransferID($1)) }
        let unwanted = ["/p/3-cancelled", "/p/6-over", "/p/99-unknown"]
        #expect(try await store.unreferenced(files) == unwanted)
        try store.upkeep.perform()
        #expect(try await store.unreferenced(files) == unwanted)
        #expect(try await store.unreferenced([]) == [])
    }
}
