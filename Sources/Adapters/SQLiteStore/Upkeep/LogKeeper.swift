// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Keeps the write-ahead log short without a commit having to wait for it.
///
/// SQLite by itself copies the log into the database within the commit that makes it long, which then takes some ten
/// milliseconds. Here another connection does it beside the writer; only a log that grows faster than that is copied by
/// the writer itself.
final class LogKeeper: Sendable {
    /// A log of this many pages is copied, 4 MB.
    private static let long: Int32 = 1000
    /// A log of this many pages is copied by the writer, 80 MB.
    private static let tooLong: Int32 = 20_000

    private let pages = Atomic<Int32>(0)
    private let isCopying = Atomic<Bool>(false)

    /// Counts the log's pages in SQLite's place; on the connection's queue. Outlives the connection.
    func attach(to database: Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let keeper = Unmanaged<LogKeeper>.fromOpaque(context).takeUnretainedValue()
                keeper.pages.store(pages, ordering: .relaxed)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Has the log copied where it has become long; on the connection's queue, after a commit.
    func shrinkIfLong(_ database: Database, path: String) {
        let length = pages.load(ordering: .relaxed)
        guard length > Self.long else { return }
        guard length < Self.tooLong else {
            // Busy, or no room: the next commit tries again.
            _ = try? database.checkpoint(.passive)
            return
        }
        guard isCopying.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return }
        DispatchQueue.global(qos: .utility).async { [self] in
            defer { isCopying.store(false, ordering: .releasing) }
            guard let queue = try? DatabaseQueue(path: path) else { return }
            _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.passive) }
            try? queue.close()
        }
    }
}
