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

@Suite("SQLiteStore: files that cannot be used")
struct SQLiteStoreTroubleTests {
    @Test("a folder that is a file, and a database that is a folder, are not writable, by name")
    func impossiblePaths() throws {
        let place = try Place()
        let file = place.folder.path + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        for path in [file + "/queue.sqlite", place.folder.path] {
            let error = try #require(throws: TransferStoreError.self) {
                _ = try SQLiteStore(SQLiteStoreConfiguration(path: path))
            }
            #expect(error.code == .notWritable)
            #expect(error.message.contains(path) || error.message.contains(file), "\(error)")
        }
    }

    @Test(
        "a read-only folder is not writable, by name",
        .enabled(if: geteuid() != 0, "root may write everywhere: run as a user to see this"))
    func readOnlyFolder() throws {
        let place = try Place()
        #expect(chmod(place.folder.path, 0o500) == 0)
        defer { chmod(place.folder.path, 0o700) }
        let error = try #require(throws: TransferStoreError.self) { _ = try place.open() }
        #expect(error.code == .notWritable)
        #expect(error.message.contains(place.folder.path))
    }

    @Test("a file of other bytes is reported as damaged, by name")
    func notADatabase() throws {
        let place = try Place()
        try FileManager.default.createDirectory(
            atPath: place.folder.path + "/state", withIntermediateDirectories: true)
        let junk = Data(repeating: 0x5A, count: 8192)
        try junk.write(to: URL(fileURLWithPath: place.path))
        let error = try #require(throws: TransferStoreError.self) { _ = try place.open() }
        #expect(error.code == .corrupt)
        #expect(error.message.contains(place.path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.path)) == junk)
    }

    @Test("damaged pages are reported as damaged, by name")
    func damagedPages() async throws {
        let place = try Place()
        let store = try place.open()
        try await store.commit((1...200).map { .inserted(StoredTransferSamples.full($0)) })
        await store.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: place.path))
        let pages = 4096..<bytes.count
        bytes.replaceSubrange(pages, with: Data(repeating: 0x5A, count: pages.count))
        try bytes.write(to: URL(fileURLWithPath: place.path))
        let error = await #expect(throws: TransferStoreError.self) { _ = try await place.open().unfinished() }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains(place.path) == true)
    }

    @Test("a row that cannot be read is named, and no transfer is left out silently")
    func unreadableRow() async throws {
        let place = try Place()
        let store = try place.open()
        try await store.commit([
            .inserted(StoredTransferSamples.full(1)), .inserted(StoredTransferSamples.full(2, key: "bad")),
        ])
        try await place.raw().write { database in
            try database.execute(sql: "UPDATE task SET specification = '{\"url\":7}' WHERE id = 2")
        }
        let error = await #expect(throws: TransferStoreError.self) { try await store.unfinished() }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("transfer 2 ") == true)
        #expect(error?.message.contains(place.path) == true)
        #expect(try await store.latest(forKey: "key")?.id.rawValue == 1)
        // The remedy that the message suggests.
        try await place.raw().write { try $0.execute(sql: "DELETE FROM task WHERE id = 2") }
        #expect(try await store.unfinished() == [StoredTransferSamples.full(1)])
    }

    @Test("the schema refuses rows that make no sense")
    func constraints() async throws {
        let place = try Place()
        let store = try place.open()
        try await store.commit([.inserted(StoredTransferSamples.plain(1))])
        let raw = try place.raw()
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

    @Test("a full database saves nothing, keeps everything, and goes on when there is room")
    func full() async throws {
        let place = try Place()
        let store = try place.open()
        let kept = StoredTransferSamples.full(1)
        try await store.commit([.inserted(kept)])
        let pages = try await store.database.writeWithoutTransaction { database in
            try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        }
        try await limit(store, to: pages)
        let more = (2...100).map { StoreChange.inserted(StoredTransferSamples.full($0)) }
        let error = await #expect(throws: TransferStoreError.self) { try await store.commit(more) }
        #expect(error?.code == .diskFull)
        #expect(error?.message.contains(place.path) == true)
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
