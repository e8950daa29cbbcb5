// SPDX-License-Identifier: Apache-2.0
import Foundation
import GRDB
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@testable import SQLiteStore

@Suite("SQLiteStore: damage and backups", .timeLimit(.minutes(5)))
struct QueueRepairTests {
    private func store(_ fixture: StoreFixture) throws -> SQLiteStore {
        var configuration = SQLiteStoreConfiguration(path: fixture.path)
        configuration.idleTime = .seconds(86_400)
        (configuration.keepsBackup, configuration.repairsDamage) = (true, true)
        return try SQLiteStore(configuration)
    }

    /// Overwrites the file from an offset to its end.
    private func damage(_ fixture: StoreFixture, from offset: Int) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let pages = offset..<bytes.count
        bytes.replaceSubrange(pages, with: Data(repeating: 0x5A, count: pages.count))
        try bytes.write(to: URL(fileURLWithPath: fixture.path))
    }

    @Test("A damaged file is moved aside, the backup replaces it, and both are reported")
    func restores() async throws {
        let fixture = try StoreFixture()
        let first = try store(fixture)
        #expect(first.loss == nil)
        try await first.commit((1...50).map { .inserted(StoredTransferSamples.full($0)) })
        try first.upkeep.perform()
        try await first.commit([.inserted(StoredTransferSamples.plain(51))])
        await first.close()
        try damage(fixture, from: 0)
        let second = try store(fixture)
        let loss = try #require(second.loss)
        #expect(try await second.unfinished().map(\.id.rawValue) == Array(1...50))
        #expect(loss.backupDate != nil)
        #expect(FileManager.default.fileExists(atPath: loss.damagedFile))
        #expect(loss.description.contains(loss.damagedFile))
        #expect(loss.description.contains("A backup was restored"))
        try await second.commit([.inserted(StoredTransferSamples.plain(60))])
        await second.close()
        let third = try store(fixture)
        #expect(third.loss == nil)
        #expect(try await third.unfinished().count == 51)
    }

    @Test("C10: a damaged file is removed after a secret in it may have ended, and at the next start")
    func removesDamaged() async throws {
        let fixture = try StoreFixture()
        let first = try store(fixture)
        try await first.commit([.inserted(StoredTransferSamples.full(1)), .inserted(StoredTransferSamples.plain(2))])
        try first.upkeep.perform()
        await first.close()
        try damage(fixture, from: 0)
        let second = try store(fixture)
        let damaged = try #require(second.loss?.damagedFile)
        #expect(FileManager.default.createFile(atPath: fixture.path + ".damaged-\(Int32.max)", contents: nil))
        try second.upkeep.perform()
        try second.upkeep.perform()
        #expect(FileManager.default.fileExists(atPath: damaged))
        #expect(try !fixture.files().keys.contains { $0.hasSuffix(".damaged-\(Int32.max)") })
        try await second.commit([.ended(TransferID(1), .cancelled)])
        try second.upkeep.perform()
        #expect(try !fixture.files().keys.contains { $0.contains(".damaged-") })
        #expect(FileManager.default.createFile(atPath: damaged, contents: nil))
        await second.close()
        let third = try store(fixture)
        try third.upkeep.perform()
        #expect(!FileManager.default.fileExists(atPath: damaged))
    }

    @Test("Without a backup, or with a damaged backup, the queue starts empty")
    func beginsEmpty() async throws {
        for hasBackup in [false, true] {
            let fixture = try StoreFixture()
            let first = try store(fixture)
            try await first.commit([.inserted(StoredTransferSamples.full(1))])
            if hasBackup { try first.upkeep.perform() }
            await first.close()
            try damage(fixture, from: 0)
            if hasBackup {
                try Data(repeating: 0x5A, count: 9000).write(to: URL(fileURLWithPath: fixture.path + ".backup"))
            }
            let second = try store(fixture)
            let loss = try #require(second.loss)
            #expect(loss.backupDate == nil)
            #expect(loss.description.contains("starts empty"))
            #expect(try await second.unfinished().isEmpty)
            try await second.commit([.inserted(StoredTransferSamples.plain(1))])
        }
    }

    @Test("Damage found during use triggers a check at the next start")
    func suspicion() async throws {
        let fixture = try StoreFixture()
        let first = try store(fixture)
        try await first.commit((1...400).map { .inserted(StoredTransferSamples.full($0)) })
        try first.upkeep.perform()
        await first.close()
        // The first pages stay intact, so that the database opens.
        try damage(fixture, from: 24 * 4096)
        let second = try store(fixture)
        #expect(second.loss == nil)
        let error = await #expect(throws: TransferStoreError.self) { try await second.unfinished() }
        #expect(error?.code == .corrupt)
        await second.close()
        let third = try store(fixture)
        #expect(third.loss?.backupDate != nil)
        #expect(try await third.unfinished().count == 400)
    }

    @Test("A wrong suspicion of damage is dropped, and nothing is lost")
    func wrongSuspicion() async throws {
        let fixture = try StoreFixture()
        let first = try store(fixture)
        try await first.commit([.inserted(StoredTransferSamples.full(1))])
        await first.close()
        QueueFile(path: fixture.path).markSuspect()
        let second = try store(fixture)
        #expect(second.loss == nil)
        #expect(try await second.unfinished() == [StoredTransferSamples.full(1)])
        #expect(try !fixture.files().keys.contains("queue.sqlite.suspect"))
    }

    @Test("A damaged database never replaces a good backup")
    func keepsGoodBackup() async throws {
        let fixture = try StoreFixture()
        let first = try store(fixture)
        try await first.commit((1...400).map { .inserted(StoredTransferSamples.full($0)) })
        try first.upkeep.perform()
        let good = try fixture.files()["queue.sqlite.backup"]
        await first.close()
        try damage(fixture, from: 24 * 4096)
        let second = try store(fixture)
        #expect(throws: TransferStoreError.self) { try second.upkeep.backUp() }
        #expect(try fixture.files()["queue.sqlite.backup"] == good)
        #expect(try fixture.files()["queue.sqlite.backup.new"] == nil)
        #expect(try fixture.files()["queue.sqlite.suspect"] != nil)
    }

    @Test("A backup is private to its owner, and secrets leave it after their transfer has ended")
    func secrets() async throws {
        let fixture = try StoreFixture()
        let store = try store(fixture)
        try await store.commit([.inserted(StoredTransferSamples.full(1)), .inserted(StoredTransferSamples.plain(2))])
        try store.upkeep.perform()
        let backup = try #require(try fixture.files()["queue.sqlite.backup"])
        #expect(backup.range(of: Data(StoredTransferSamples.secretText.utf8)) != nil)
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.path + ".backup")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try await store.commit([.ended(TransferID(1), .cancelled)])
        // Runs after the log was truncated, on the same queue.
        #expect(try await store.unfinished().count == 1)
        // A store that is always busy has a backup, too: the next upkeep renews it.
        #expect(try fixture.files()["queue.sqlite.backup"] != nil)
        #expect(try fixture.files()["queue.sqlite"]?.range(of: Data(StoredTransferSamples.secretText.utf8)) == nil)
        try store.upkeep.perform()
        #expect(try fixture.files()["queue.sqlite.backup"] != nil)
        #expect(try !fixture.contains(StoredTransferSamples.secretText))
    }
}
