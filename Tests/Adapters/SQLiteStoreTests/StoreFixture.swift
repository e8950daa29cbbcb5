// SPDX-License-Identifier: Apache-2.0
import Foundation
import GRDB
import SQLiteStore

/// A new folder for the database of one test. Removed together with this object.
final class StoreFixture: Sendable {
    let folder: URL
    var path: String { folder.appendingPathComponent("state/queue.sqlite").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Opens a store in this folder. Each call opens another connection.
    func open(
        _ scope: SQLiteStoreConfiguration.Scope = .all, busyTimeout: Duration = .seconds(30)
    ) throws -> SQLiteStore {
        try SQLiteStore(SQLiteStoreConfiguration(path: path, scope: scope, busyTimeout: busyTimeout))
    }

    /// Opens a connection that bypasses the store, as another program would.
    func raw() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Returns the database and the files beside it, as contents by name.
    func files() throws -> [String: Data] {
        let state = folder.appendingPathComponent("state")
        let names = try FileManager.default.contentsOfDirectory(atPath: state.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: state.appendingPathComponent($0))) })
    }

    /// Returns whether any of the files contains `text`.
    func contains(_ text: String) throws -> Bool {
        try files().values.contains { $0.range(of: Data(text.utf8)) != nil }
    }
}
