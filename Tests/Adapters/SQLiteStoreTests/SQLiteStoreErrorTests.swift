// SPDX-License-Identifier: Apache-2.0
import Foundation
import GRDB
import Glibc
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@testable import SQLiteStore

@Suite("SQLiteStore: unusable files")
struct SQLiteStoreErrorTests {
    @Test("A file in place of the folder, or a folder in place of the database, is reported by path")
    func impossiblePaths() throws {
        let fixture = try StoreFixture()
        let file = fixture.folder.path + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        for path in [file + "/queue.sqlite", fixture.folder.path] {
            let error = try #require(throws: TransferStoreError.self) {
                _ = try SQLiteStore(SQLiteStoreConfiguration(path: path))
            }
            #expect(error.code == .notWritable)
            #expect(error.message.contains(path) || error.message.contains(file), "\(error)")
        }
    }

    @Test("A queue in a folder that other users can write to, or below one, is refused by path")
    func sharedFolder() throws {
        let fixture = try StoreFixture()
        try FileManager.default.createDirectory(
            atPath: fixture.folder.path + "/state", withIntermediateDirectories: true)
        for shared in [fixture.folder.path + "/state", fixture.folder.path] {
            #expect(chmod(shared, 0o777) == 0)
            let error = try #require(throws: TransferStoreError.self) { _ = try fixture.open() }
            #expect(error.code == .notWritable && error.message.contains("other users can write to \(shared)"))
            #expect(chmod(shared, 0o700) == 0)
        }
        _ = try fixture.open()
    }

    @Test(
        "A read-only folder is reported as not writable, by path",
        .enabled(if: geteuid() != 0, "root may write anywhere; run as another user"))
    func readOnlyFolder() throws {
        let fixture = try StoreFixture()
        #expect(chmod(fixture.folder.path, 0o500) == 0)
        defer { chmod(fixture.folder.path, 0o700) }
        let error = try #require(throws: TransferStoreError.self) { _ = try fixture.open() }
        #expect(error.code == .notWritable)
        #expect(error.message.contains(fixture.folder.path))
    }

    @Test("A file with other contents is reported as damaged, by path")
    func notADatabase() throws {
        let fixture = try StoreFixture()
        try FileManager.default.createDirectory(
            atPath: fixture.folder.path + "/state", withIntermediateDirectories: true)
        let junk = Data(repeating: 0x5A, count: 8192)
        try junk.write(to: URL(fileURLWithPath: fixture.path))
        let error = try #require(throws: TransferStoreError.self) { _ = try fixture.open() }
        #expect(error.code == .corrupt)
        #expect(error.message.contains(fixture.path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == junk)
    }

    @Test("An unreadable row is named, and no transfer is skipped silently")
    func unreadableRow() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try await store.commit([
            .inserted(StoredTransferSamples.full(1)), .inserted(StoredTransferSamples.full(2, key: "bad")),
        ])
        try await fixture.raw().write { database in
            try database.execute(sql: "UPDATE task SET specification = '{\"url\":7}' WHERE id = 2")
        }
        let error = await #expect(throws: TransferStoreError.self) { try await store.unfinished() }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("transfer 2 ") == true)
        #expect(error?.message.contains(fixture.path) == true)
        #expect(try await store.latest(forKey: "key")?.id.rawValue == 1)
        // The remedy that the message suggests.
        try await fixture.raw().write { try $0.execute(sql: "DELETE FROM task WHERE id = 2") }
        #expect(try await store.unfinished() == [StoredTransferSamples.full(1)])
    }

    @Test("The schema refuses invalid rows")
    func constraints() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try await store.commit([.inserted(StoredTransferSamples.plain(1))])
        let raw = try fixture.raw()
        for sql in [
            "INSERT INTO task (id, specification) VALUES (2, 'no json')",
            "INSERT INTO task (id, specification) VALUES (0, '{}')",
            "INSERT INTO task (id, specification, key) VALUES (2, '{}', '')",
            "INSERT INTO progress (task, is_suspended) VALUES (9, 0)",
            "INSERT INTO progress (task, is_suspended) VALUES (1, 2)",
            "INSERT INTO progress (task, is_suspended, resume) VALUES (1, 0, '{')",
            "INSERT INTO event (task, kind) VALUES (1, 6)",
            "INSERT INTO event (task, kind) VALUES (9, 1)",
            "INSERT INTO event (task, kind, value) VALUES (1, 1, '{')",
            "INSERT INTO queue (task, class, submitted) VALUES (9, 1, 0)",
            "INSERT INTO ended (task, time, ending, class, submitted) VALUES (1, 0, 'no json', 1, 0)",
            "INSERT INTO class (traits) SELECT traits FROM class",
            "INSERT INTO condition (time, what, power, network, link, metered, is_suspended) "
                + "VALUES (0, 'guessed', 'ac', 'full', 'wifi', 'no', 0)",
            "INSERT INTO identifier (row, last) VALUES (2, 0)",
            "UPDATE identifier SET last = 'x'",
        ] {
            await #expect(throws: DatabaseError.self, "\(sql)") { try await raw.write { try $0.execute(sql: sql) } }
        }
    }

    @Test("A full database saves nothing, keeps everything, and continues when there is space")
    func full() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let kept = StoredTransferSamples.full(1)
        try await store.commit([.inserted(kept)])
        let pages = try await store.database.writeWithoutTransaction { database in
            try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        }
        try await limit(store, to: pages)
        let more = (2...100).map { StoreChange.inserted(StoredTransferSamples.full($0)) }
        let error = await #expect(throws: TransferStoreError.self) { try await store.commit(more) }
        #expect(error?.code == .diskFull)
        #expect(error?.message.contains(fixture.path) == true)
        #expect(try await store.unfinished() == [kept])
        try await limit(store, to: 1 << 20)
        try await store.commit(more)
        #expect(try await store.unfinished().count == 100)
    }

    private func limit(_ store: SQLiteStore, to pages: Int) async throws {
        try await store.database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
    }
}
