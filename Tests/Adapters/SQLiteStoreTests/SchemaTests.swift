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
    @Test("Released migrations never change: the list only grows at its end")
    func appendOnly() {
        let fingerprints = Schema.migrations.map { "\($0.identifier): \(fingerprint($0.sql))" }
        #expect(
            fingerprints == [
                "1 transfers: f075466861815eb1", "2 holds and what was learned: 801cd1d33976bc80",
                "3 history: 4b6edd786be23760", "4 a queue of columns, and events: 7f35b0ff5ea6451b",
                "5 sessions: a9d89b9c0786f23d", "6 numbers outlive their transfers: ab8c54521aa559ae",
            ])
    }

    @Test("IDs that the fifth version assigned are not assigned again, even if their transfers are gone")
    func keepsNumbers() async throws {
        for (last, given) in [(Int64(9), Int64(10)), (5, 8)] {
            let fixture = try StoreFixture()
            try await fixture.write(version: 5) { database in
                // That version always set the column to the last number. A value below a transfer's own number must
                // not repeat a number, either.
                try database.execute(sql: "UPDATE identifier SET last = ?", arguments: [last])
                try database.execute(
                    sql: "INSERT INTO task (id, specification) VALUES (7, ?)",
                    arguments: [RecordedRowsTests.specification])
            }
            let store = try fixture.open()
            let new = StoreChange.submitted(NewTransfer(StoredTransferSamples.plain(1).specification))
            #expect(try await store.commit([new]) == [TransferID(given)])
            try await fixture.raw().write { try $0.execute(sql: "DELETE FROM task") }
            #expect(try await store.commit([new]) == [TransferID(given + 1)])
        }
    }

    @Test("A database of a newer version is left unchanged and reported as newer")
    func newer() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try await store.commit([.inserted(StoredTransferSamples.full(1))])
        await store.close()
        try await fixture.raw().write {
            try $0.execute(sql: "INSERT INTO migration (identifier) VALUES ('999 of tomorrow')")
        }
        let error = try #require(throws: TransferStoreError.self) { _ = try fixture.open() }
        #expect(error.code == .newerSchema)
        #expect(error.message.contains(fixture.path))
        #expect(try await fixture.raw().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM task") } == 1)
    }

    @Test("The database of another program is left unchanged")
    func foreign() async throws {
        let fixture = try StoreFixture()
        try FileManager.default.createDirectory(
            atPath: fixture.folder.path + "/state", withIntermediateDirectories: true)
        try await fixture.raw().write { try $0.execute(sql: "CREATE TABLE theirs (x)") }
        let error = try #require(throws: TransferStoreError.self) { _ = try fixture.open() }
        #expect(error.code == .other)
        #expect(error.message.contains("another program"))
        let tables = try await fixture.raw().read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema") }
        #expect(tables == ["theirs"])
    }

    @Test("A failed migration leaves the previous version")
    func failedMigration() async throws {
        let fixture = try StoreFixture()
        await fixture.closing(try fixture.open())
        let broken =
            Schema.migrations + [
                Schema.Migration(identifier: "999 broken", sql: "CREATE TABLE fine (x); CREATE TABLE task (x)")
            ]
        let raw = try fixture.raw()
        await #expect(throws: DatabaseError.self) {
            try await raw.writeWithoutTransaction { [path = fixture.path] database in
                try Schema.migrate(database, path: path, to: broken)
            }
        }
        let isThere = try await raw.read { try $0.tableExists("fine") }
        #expect(!isThere)
        #expect(try await fixture.open().unfinished().isEmpty)
    }

    /// Returns an FNV-1a hash, which suffices to detect an edit.
    private func fingerprint(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}

extension StoreFixture {
    /// Closes `store`. A separate function for tests that only need a store to have existed.
    func closing(_ store: SQLiteStore) async { await store.close() }
}
