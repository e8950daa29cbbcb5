// SPDX-License-Identifier: Apache-2.0
import Foundation
import GRDB
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@testable import SQLiteStore

@Suite("Schema")
struct SchemaTests {
    @Test("migrations that were released are as they were: this list grows at its end only")
    func appendOnly() {
        let fingerprints = Schema.migrations.map { "\($0.identifier): \(fingerprint($0.sql))" }
        #expect(
            fingerprints == [
                "1 transfers: f075466861815eb1", "2 holds and what was learned: 801cd1d33976bc80",
                "3 history: 4b6edd786be23760", "4 a queue of columns, and events: 7f35b0ff5ea6451b",
                "5 sessions: a9d89b9c0786f23d", "6 numbers outlive their transfers: ab8c54521aa559ae",
            ])
    }

    @Test("a database of every earlier version is brought up to date and works", arguments: Schema.migrations.indices)
    func migratesFrom(_ version: Int) async throws {
        let place = try Place()
        try FileManager.default.createDirectory(
            atPath: place.folder.path + "/state", withIntermediateDirectories: true)
        let old = try place.raw()
        try await old.writeWithoutTransaction { [path = place.path] database in
            try Schema.migrate(database, path: path, to: Array(Schema.migrations.prefix(version)))
        }
        try old.close()
        let store = try place.open()
        let given = try await store.commit([
            .submitted(NewTransfer(StoredTransferSamples.plain(1).specification), resume: nil)
        ])
        #expect(given == [TransferID(1)])
        try await store.commit([.ended(TransferID(1), .cancelled), .inserted(StoredTransferSamples.full(2))])
        #expect(try await store.unfinished() == [StoredTransferSamples.full(2)])
    }

    @Test("transfers of the first version are there after the update, held by nobody")
    func keepsRows() async throws {
        let place = try Place()
        try FileManager.default.createDirectory(
            atPath: place.folder.path + "/state", withIntermediateDirectories: true)
        let old = try place.raw()
        try await old.writeWithoutTransaction { [path = place.path] database in
            try Schema.migrate(database, path: path, to: Array(Schema.migrations.prefix(1)))
            for id in 7...8 {
                try database.execute(
                    sql: "INSERT INTO task (id, key, specification, ending) VALUES (?, 'key', ?, ?)",
                    arguments: [id, RecordedRowsTests.specification, id == 8 ? #"{"cancelled":{}}"# : nil])
            }
            try database.execute(
                sql: "INSERT INTO progress (task, resume, retry, is_suspended) VALUES (7, ?, ?, 1)",
                arguments: [RecordedRowsTests.resume, RecordedRowsTests.retry])
        }
        try old.close()
        let store = try place.open()
        var expected = RecordedRowsTests.expected
        expected.hold = nil
        expected.relaunchHold = nil
        #expect(try await store.unfinished() == [expected])
        #expect(try await store.latest(forKey: "key")?.ending == .cancelled)
        #expect(try await store.learned() == nil)
        try await store.commit([
            .held(expected.id, StoredTransferSamples.full(7).hold), .learned(StoredTransferSamples.learned()),
        ])
        #expect(try await store.unfinished().first?.hold == StoredTransferSamples.full(7).hold)
    }

    @Test("numbers that the fifth version gave are not given again, whether their transfers are there or not")
    func keepsNumbers() async throws {
        for (last, given) in [(Int64(9), Int64(10)), (5, 8)] {
            let place = try Place()
            try FileManager.default.createDirectory(
                atPath: place.folder.path + "/state", withIntermediateDirectories: true)
            let old = try place.raw()
            try await old.writeWithoutTransaction { [path = place.path] database in
                try Schema.migrate(database, path: path, to: Array(Schema.migrations.prefix(5)))
                // That version always set the column to the last number. A value below a transfer's own number must
                // not repeat a number, either.
                try database.execute(sql: "UPDATE identifier SET last = ?", arguments: [last])
                try database.execute(
                    sql: "INSERT INTO task (id, specification) VALUES (7, ?)",
                    arguments: [RecordedRowsTests.specification])
            }
            try old.close()
            let store = try place.open()
            let new = StoreChange.submitted(NewTransfer(StoredTransferSamples.plain(1).specification), resume: nil)
            #expect(try await store.commit([new]) == [TransferID(given)])
            try await place.raw().write { try $0.execute(sql: "DELETE FROM task") }
            #expect(try await store.commit([new]) == [TransferID(given + 1)])
        }
    }

    @Test("a database of the newest version opens again with all its rows")
    func reopens() async throws {
        let place = try Place()
        let store = try place.open()
        try await store.commit(StoredTransferSamples.unfinished.map { .inserted($0) })
        await store.close()
        #expect(try await place.open().unfinished() == StoredTransferSamples.unfinished)
    }

    @Test("a database of a newer version is left alone and reported as newer")
    func newer() async throws {
        let place = try Place()
        let store = try place.open()
        try await store.commit([.inserted(StoredTransferSamples.full(1))])
        await store.close()
        try await place.raw().write {
            try $0.execute(sql: "INSERT INTO migration (identifier) VALUES ('999 of tomorrow')")
        }
        let error = try #require(throws: TransferStoreError.self) { _ = try place.open() }
        #expect(error.code == .newerSchema)
        #expect(error.message.contains(place.path))
        #expect(try await place.raw().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM task") } == 1)
    }

    @Test("the database of another program is left alone")
    func foreign() async throws {
        let place = try Place()
        try FileManager.default.createDirectory(
            atPath: place.folder.path + "/state", withIntermediateDirectories: true)
        try await place.raw().write { try $0.execute(sql: "CREATE TABLE theirs (x)") }
        let error = try #require(throws: TransferStoreError.self) { _ = try place.open() }
        #expect(error.code == .other)
        #expect(error.message.contains("another program"))
        let tables = try await place.raw().read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema") }
        #expect(tables == ["theirs"])
    }

    @Test("a migration that fails leaves the version before it")
    func failedMigration() async throws {
        let place = try Place()
        await place.closing(try place.open())
        let broken =
            Schema.migrations + [
                Schema.Migration(identifier: "999 broken", sql: "CREATE TABLE fine (x); CREATE TABLE task (x)")
            ]
        let raw = try place.raw()
        await #expect(throws: DatabaseError.self) {
            try await raw.writeWithoutTransaction { [path = place.path] database in
                try Schema.migrate(database, path: path, to: broken)
            }
        }
        let isThere = try await raw.read { try $0.tableExists("fine") }
        #expect(!isThere)
        #expect(try await place.open().unfinished().isEmpty)
    }

    /// Returns an FNV-1a hash, which suffices to detect an edit.
    private func fingerprint(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

extension Place {
    /// Closes `store`. A separate function for tests that only need a store to have existed.
    func closing(_ store: SQLiteStore) async { await store.close() }
}
