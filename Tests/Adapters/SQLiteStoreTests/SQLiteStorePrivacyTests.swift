// SPDX-License-Identifier: Apache-2.0
import Foundation
import GRDB
import SQLiteStore
import Testing
import TransferEngine
import TransferModel
import TransferTesting

@Suite("SQLiteStore: privacy")
struct SQLiteStorePrivacyTests {
    private let secret = StoredTransferSamples.secretText

    @Test("The folder and all files in it are private to their owner")
    func permissions() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try await store.commit([.inserted(StoredTransferSamples.full(1))])
        #expect(try mode(of: fixture.folder.path + "/state") == 0o700)
        #expect(try fixture.files().keys.sorted() == ["queue.sqlite", "queue.sqlite-shm", "queue.sqlite-wal"])
        for name in try fixture.files().keys {
            #expect(try mode(of: "\(fixture.folder.path)/state/\(name)") == 0o600, "\(name)")
        }
    }

    @Test("A file that other users could read becomes private when it is opened")
    func tightened() async throws {
        let fixture = try StoreFixture()
        let first = try fixture.open()
        for name in try fixture.files().keys {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: "\(fixture.folder.path)/state/\(name)")
        }
        let second = try fixture.open()
        for name in try fixture.files().keys {
            #expect(try mode(of: "\(fixture.folder.path)/state/\(name)") == 0o600, "\(name)")
        }
        await first.close()
        await second.close()
    }

    @Test("Secrets leave the bytes of all files after the transfer's end while the store stays open")
    func secretsGoWhileOpen() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let beside = try fixture.open()
        let transfer = StoredTransferSamples.full(1)
        try await store.commit([.inserted(transfer)])
        try await beside.commit([.checkpointed(transfer.id, transfer.resume)])
        #expect(try fixture.contains(secret))
        try await store.commit([.ended(transfer.id, .cancelled)])
        // Runs after the log was truncated, on the same queue.
        #expect(try await store.unfinished().isEmpty)
        #expect(try !fixture.contains(secret))
    }

    @Test("Secrets are gone after closing, even large secrets that filled whole pages")
    func secretsGoWithClose() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        var transfer = StoredTransferSamples.full(1)
        transfer.specification.headers.append(
            HeaderField(name: "Cookie", value: String(repeating: secret + ";", count: 2_000)))
        try await store.commit([.inserted(transfer), .inserted(StoredTransferSamples.plain(2))])
        try await store.commit([.respecified(transfer.id, StoredTransferSamples.full(1).specification)])
        try await store.commit([.ended(transfer.id, .cancelled)])
        await store.close()
        #expect(try fixture.files().keys.sorted() == ["queue.sqlite"])
        #expect(try !fixture.contains(secret))
    }

    @Test("A reader that prevents truncating the log only delays it")
    func secretsGoLater() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let transfer = StoredTransferSamples.full(1)
        try await store.commit([.inserted(transfer), .inserted(StoredTransferSamples.plain(2))])
        let reader = try fixture.raw()
        try await reader.writeWithoutTransaction { database in
            try database.beginTransaction(.deferred)
            _ = try Row.fetchAll(database, sql: "SELECT * FROM task")
        }
        try await store.commit([.ended(transfer.id, .cancelled)])
        #expect(try await store.unfinished().count == 1)
        #expect(try fixture.contains(secret))
        try await reader.writeWithoutTransaction { try $0.rollback() }
        try await store.commit([.suspended(StoredTransferSamples.plain(2).id, true)])
        #expect(try await store.unfinished().count == 1)
        #expect(try !fixture.contains(secret))
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
