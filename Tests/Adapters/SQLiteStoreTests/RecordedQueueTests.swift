// SPDX-License-Identifier: Apache-2.0
import Foundation
import GRDB
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@testable import SQLiteStore

/// Whole queues of earlier versions of the program, as SQL. `Samples/README.md` says how they were made.
///
/// A new migration needs a new sample. Samples never change.
@Suite("P4: queues of earlier versions")
struct RecordedQueueTests {
    /// The versions of the schema with which a program existed. Versions 3 and 4 were added together with 5.
    private static let versions = [1, 2, 5, 6]

    /// Creates the queue of a sample.
    private func queue(_ version: Int) async throws -> StoreFixture {
        let fixture = try StoreFixture()
        try FileManager.default.createDirectory(
            atPath: fixture.folder.path + "/state", withIntermediateDirectories: true)
        let file = try #require(
            Bundle.module.url(forResource: "schema-\(version)", withExtension: "sql", subdirectory: "Samples"))
        let sql = try String(contentsOf: file, encoding: .utf8)
        let raw = try fixture.raw()
        try await raw.writeWithoutTransaction { try $0.execute(sql: sql) }
        try raw.close()
        return fixture
    }

    /// Returns the unfinished transfers of a sample, with the properties that existed then.
    private func unfinished(_ version: Int) -> [StoredTransfer] {
        var full = StoredTransferSamples.full(2)
        full.specification.destination.folderIdentity = nil
        full.specification.onComplete = nil
        full.specification.traits.policy = nil
        (full.specification.traits.constraints.patience, full.specification.traits.constraints.price) = (nil, nil)
        full.specification.cookies = nil
        if version < 2 { (full.hold, full.relaunchDelay) = (nil, nil) }
        return [StoredTransferSamples.plain(1), full, StoredTransferSamples.plain(3, key: "k")]
    }

    @Test("the newest version of the schema has a sample")
    func newest() {
        #expect(Self.versions.last == Schema.migrations.count)
    }

    @Test("each sample has the version that its name says", arguments: versions)
    func version(_ version: Int) async throws {
        let fixture = try await queue(version)
        let applied = try await fixture.raw().read {
            try String.fetchAll($0, sql: "SELECT identifier FROM migration ORDER BY number")
        }
        #expect(applied == Schema.migrations.prefix(version).map(\.identifier))
    }

    @Test("unfinished transfers, endings, and statistics are migrated, and the queue works", arguments: versions)
    func migrates(_ version: Int) async throws {
        let fixture = try await queue(version)
        let store = try fixture.open()
        #expect(try await store.unfinished() == unfinished(version))
        let count = 5
        for number in 0..<count {
            let ended = try #require(try await store.latest(forKey: "ended-\(number)"))
            #expect(ended.id == TransferID(Int64(10 + number)))
            switch ended.ending {
            case .completed, .failed: #expect(number < count - 1)
            case .cancelled: #expect(number == count - 1)
            case nil: Issue.record("transfer \(ended.id) has no ending")
            }
        }
        let statistics = try await store.statistics()
        #expect((statistics != nil) == (version >= 2))
        if let statistics {
            let expected = try StoredTransferSamples.statistics()
            #expect(statistics.budgets == expected.budgets && statistics.limiters == expected.limiters)
            #expect(statistics.typicalRate == expected.typicalRate)
        }
        // No ID is assigned twice.
        let new = StoreChange.submitted(NewTransfer(StoredTransferSamples.plain(1).specification))
        #expect(try await store.commit([new]) == [TransferID(Int64(10 + count))])
        try await store.commit([.ended(TransferID(2), .cancelled)])
        #expect(
            try await store.unfinished().map(\.id.rawValue) == unfinished(version).map(\.id.rawValue)
                .filter { $0 != 2 } + [Int64(10 + count)])
    }
}
