// SPDX-License-Identifier: Apache-2.0
import Foundation
import GRDB
import SQLiteStore
import Testing
import TransferEngine
import TransferModel
import TransferTesting

@Suite("SQLiteStore: who can read what")
struct SQLiteStorePrivacyTests {
    private let secret = StoredTransferSamples.secretText

    @Test("the folder is its owner's alone, and so are all files in it")
    func permissions() async throws {
        let place = try Place()
        let store = try place.open()
        try await store.commit([.inserted(StoredTransferSamples.full(1))])
        #expect(try mode(of: place.folder.path + "/state") == 0o700)
        #expect(try place.files().keys.sorted() == ["queue.sqlite", "queue.sqlite-shm", "queue.sqlite-wal"])
        for name in try place.files().keys {
            #expect(try mode(of: "\(place.folder.path)/state/\(name)") == 0o600, "\(name)")
        }
    }

    @Test("a file that others could read is closed to them when it is opened")
    func tightened() async throws {
        let place = try Place()
        let first = try place.open()
        for name in try place.files().keys {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: "\(place.folder.path)/state/\(name)")
        }
        let second = try place.open()
        for name in try place.files().keys {
            #expect(try mode(of: "\(place.folder.path)/state/\(name)") == 0o600, "\(name)")
        }
        await first.close()
        await second.close()
    }

    @Test("secrets are gone from the bytes of all files once the transfer ended, while the store stays open")
    func secretsGoWhileOpen() async throws {
        let place = try Place()
        let store = try place.open()
        let beside = try place.open()
        let transfer = StoredTransferSamples.full(1)
        try await store.commit([.inserted(transfer)])
        try await beside.commit([.checkpointed(transfer.id, transfer.resume)])
        #expect(try place.holds(secret))
        try await store.commit([.ended(transfer.id, .cancelled)])
        // Runs after the log was truncated, on the same queue.
        #expect(try await store.unfinished().isEmpty)
        #expect(try !place.holds(secret))
    }

    @Test("secrets are gone after closing, also large ones that filled pages of their own")
    func secretsGoWithClose() async throws {
        let place = try Place()
        let store = try place.open()
        var transfer = StoredTransferSamples.full(1)
        transfer.specification.headers.append(
            HeaderField(name: "Cookie", value: String(repeating: secret + ";", count: 2_000)))
        try await store.commit([.inserted(transfer), .inserted(StoredTransferSamples.plain(2))])
        try await store.commit([.respecified(transfer.id, StoredTransferSamples.full(1).specification)])
        try await store.commit([.ended(transfer.id, .cancelled)])
        await store.close()
        #expect(try place.files().keys.sorted() == ["queue.sqlite"])
        #expect(try !place.holds(secret))
    }

    @Test("a reader that keeps the log from being emptied only puts it off")
    func secretsGoLater() async throws {
        let place = try Place()
        let store = try place.open()
        let transfer = StoredTransferSamples.full(1)
        try await store.commit([.inserted(transfer), .inserted(StoredTransferSamples.plain(2))])
        let reader = try place.raw()
        try await reader.writeWithoutTransaction { database in
            try database.beginTransaction(.deferred)
            _ = try Row.fetchAll(database, sql: "SELECT * FROM task")
        }
        try await store.commit([.ended(transfer.id, .cancelled)])
        #expect(try await store.unfinished().count == 1)
        #expect(try place.holds(secret))
        try await reader.writeWithoutTransaction { try $0.rollback() }
        try await store.commit([.suspended(StoredTransferSamples.plain(2).id, true)])
        #expect(try await store.unfinished().count == 1)
        #expect(try !place.holds(secret))
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
