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
struct RepairTests {
    private func store(_ place: Place) throws -> SQLiteStore {
        var configuration = SQLiteStoreConfiguration(path: place.path)
        configuration.idleTime = .seconds(86_400)
        (configuration.keepsBackup, configuration.repairsDamage) = (true, true)
        return try SQLiteStore(configuration)
    }

    /// Overwrites the file from an offset to its end.
    private func damage(_ place: Place, from offset: Int) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: place.path))
        let pages = offset..<bytes.count
        bytes.replaceSubrange(pages, with: Data(repeating: 0x5A, count: pages.count))
        try bytes.write(to: URL(fileURLWithPath: place.path))
    }

    @Test("a damaged file is moved aside and the backup takes its place, and both are told")
    func restores() async throws {
        let place = try Place()
        let first = try store(place)
        #expect(first.loss == nil)
        try await first.commit((1...50).map { .inserted(StoredTransferSamples.full($0)) })
        try first.upkeep.perform()
        try await first.commit([.inserted(StoredTransferSamples.plain(51))])
        await first.close()
        try damage(place, from: 0)
        let second = try store(place)
        let loss = try #require(second.loss)
        #expect(try await second.unfinished().map(\.id.rawValue) == Array(1...50))
        #expect(loss.backupDate != nil)
        #expect(FileManager.default.fileExists(atPath: loss.damagedFile))
        #expect(loss.description.contains(loss.damagedFile))
        #expect(loss.description.contains("A backup took its place"))
        try await second.commit([.inserted(StoredTransferSamples.plain(60))])
        await second.close()
        let third = try store(place)
        #expect(third.loss == nil)
        #expect(try await third.unfinished().count == 51)
    }

    @Test("C10: a damaged file goes when a secret ends that it may have, and at the next start")
    func removesDamaged() async throws {
        let place = try Place()
        let first = try store(place)
        try await first.commit([.inserted(StoredTransferSamples.full(1)), .inserted(StoredTransferSamples.plain(2))])
        try first.upkeep.perform()
        await first.close()
        try damage(place, from: 0)
        let second = try store(place)
        let damaged = try #require(second.loss?.damagedFile)
        #expect(FileManager.default.createFile(atPath: place.path + ".damaged-\(Int32.max)", contents: nil))
        try second.upkeep.perform()
        try second.upkeep.perform()
        #expect(FileManager.default.fileExists(atPath: damaged))
        #expect(try !place.files().keys.contains { $0.hasSuffix(".damaged-\(Int32.max)") })
        try await second.commit([.ended(TransferID(1), .cancelled)])
        try second.upkeep.perform()
        #expect(try !place.files().keys.contains { $0.contains(".damaged-") })
        #expect(FileManager.default.createFile(atPath: damaged, contents: nil))
        await second.close()
        let third = try store(place)
        try third.upkeep.perform()
        #expect(!FileManager.default.fileExists(atPath: damaged))
    }

    @Test("without a backup, or with a damaged one, the queue begins empty")
    func beginsEmpty() async throws {
        for hasBackup in [false, true] {
            let place = try Place()
            let first = try store(place)
            try await first.commit([.inserted(StoredTransferSamples.full(1))])
            if hasBackup { try first.upkeep.perform() }
            await first.close()
            try damage(place, from: 0)
            if hasBackup {
                try Data(repeating: 0x5A, count: 9000).write(to: URL(fileURLWithPath: place.path + ".backup"))
            }
            let second = try store(place)
            let loss = try #require(second.loss)
            #expect(loss.backupDate == nil)
            #expect(loss.description.contains("began empty"))
            #expect(try await second.unfinished().isEmpty)
            try await second.commit([.inserted(StoredTransferSamples.plain(1))])
        }
    }

    @Test("damage that is met while the queue is in use is looked for at the next start")
    func suspicion() async throws {
        let place = try Place()
        let first = try store(place)
        try await first.commit((1...400).map { .inserted(StoredTransferSamples.full($0)) })
        try first.upkeep.perform()
        await first.close()
        // The first pages stay intact, so that the database opens.
        try damage(place, from: 24 * 4096)
        let second = try store(place)
        #expect(second.loss == nil)
        let error = await #expect(throws: TransferStoreError.self) { try await second.unfinished() }
        #expect(error?.code == .corrupt)
        await second.close()
        let third = try store(place)
        #expect(third.loss?.backupDate != nil)
        #expect(try await third.unfinished().count == 400)
    }

    @Test("a suspicion that proves wrong is forgotten, and nothing is lost")
    func wrongSuspicion() async throws {
        let place = try Place()
        let first = try store(place)
        try await first.commit([.inserted(StoredTransferSamples.full(1))])
        await first.close()
        QueueFile(path: place.path).suspect()
        let second = try store(place)
        #expect(second.loss == nil)
        #expect(try await second.unfinished() == [StoredTransferSamples.full(1)])
        #expect(try !place.files().keys.contains("queue.sqlite.suspect"))
    }

    @Test("a damaged database is never backed up over a good backup")
    func keepsGoodBackup() async throws {
        let place = try Place()
        let first = try store(place)
        try await first.commit((1...400).map { .inserted(StoredTransferSamples.full($0)) })
        try first.upkeep.perform()
        let good = try place.files()["queue.sqlite.backup"]
        await first.close()
        try damage(place, from: 24 * 4096)
        let second = try store(place)
        #expect(throws: TransferStoreError.self) { try second.upkeep.backUp() }
        #expect(try place.files()["queue.sqlite.backup"] == good)
        #expect(try place.files()["queue.sqlite.backup.new"] == nil)
        #expect(try place.files()["queue.sqlite.suspect"] != nil)
    }

    @Test("a backup is its owner's alone, and secrets do not live on in it once their transfer has ended")
    func secrets() async throws {
        let place = try Place()
        let store = try store(place)
        try await store.commit([.inserted(StoredTransferSamples.full(1)), .inserted(StoredTransferSamples.plain(2))])
        try store.upkeep.perform()
        let backup = try #require(try place.files()["queue.sqlite.backup"])
        #expect(backup.range(of: Data(StoredTransferSamples.secretText.utf8)) != nil)
        let mode = try FileManager.default.attributesOfItem(atPath: place.path + ".backup")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try await store.commit([.ended(TransferID(1), .cancelled)])
        // Runs after the log was truncated, on the same queue.
        #expect(try await store.unfinished().count == 1)
        // A store that is always busy has a backup, too: the next upkeep renews it.
        #expect(try place.files()["queue.sqlite.backup"] != nil)
        #expect(try place.files()["queue.sqlite"]?.range(of: Data(StoredTransferSamples.secretText.utf8)) == nil)
        try store.upkeep.perform()
        #expect(try place.files()["queue.sqlite.backup"] != nil)
        #expect(try !place.holds(StoredTransferSamples.secretText))
    }
}
