// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Keeps the write-ahead log short without a commit having to wait for it, and where it lies.
///
/// SQLite by itself copies the log into the database within the commit that makes it long, which then takes some ten
/// milliseconds. Here another connection does it beside the writer; only a log that grows faster than that is copied by
/// the writer itself. What came meanwhile, a few pages, the writer copies when the other is done: then all is copied,
/// and SQLite begins at the log's start again. To sync a page that lies where one lay before takes half the time of one
/// that makes the file longer, since the file system has nothing to record.
final class LogKeeper: Sendable {
    /// A log of this many pages is copied, 4 MB.
    private static let long: Int32 = 1000
    /// A log of this many pages is copied by the writer, 80 MB.
    private static let tooLong: Int32 = 20_000

    private struct State: Sendable {
        /// How long the log is.
        var pages: Int32 = 0
        /// From which length on it is copied: longer where a copy could not be finished because somebody still reads.
        var due = LogKeeper.long
        var isCopying = false
        /// Whether it has been copied but for the last few pages.
        var isNearlyCopied = false
    }

    /// What is to be done about the log.
    private enum Step {
        case none
        case copyBeside
        case copyHere
    }

    private let state = Mutex(State())

    /// Counts the log's pages in SQLite's place; on the connection's queue. Outlives the connection.
    func attach(to database: Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let keeper = Unmanaged<LogKeeper>.fromOpaque(context).takeUnretainedValue()
                keeper.state.withLock { $0.pages = pages }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Has the log copied where it has become long; on the connection's queue, after a commit.
    func shrinkIfLong(_ database: Database, path: String) {
        switch nextStep() {
        case .none: break
        case .copyHere:
            // Busy, or no room: a later commit tries again.
            sqlite3_wal_checkpoint_v2(database.sqliteConnection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        case .copyBeside:
            DispatchQueue.global(qos: .utility).async { [self] in
                let isCopied = Self.copy(path)
                state.withLock { ($0.isCopying, $0.isNearlyCopied) = (false, isCopied) }
            }
        }
    }

    private func nextStep() -> Step {
        state.withLock { state in
            if state.pages <= Self.long { (state.due, state.isNearlyCopied) = (Self.long, false) }
            guard !state.isCopying, state.pages > state.due else { return .none }
            if state.isNearlyCopied || state.pages > Self.tooLong {
                state.isNearlyCopied = false
                state.due = state.pages + Self.long / 4
                return .copyHere
            }
            state.isCopying = true
            return .copyBeside
        }
    }

    /// Copies what is in the log now, by a connection of its own; says whether there was anything to copy, and it could.
    static func copy(_ path: String) -> Bool {
        var connection: OpaquePointer?
        // One that could not be opened has to be closed, too.
        defer { sqlite3_close(connection) }
        // A connection that has read nothing yet does not know of the log, and would copy nothing.
        guard
            sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
            sqlite3_exec(connection, "PRAGMA schema_version", nil, nil, nil) == SQLITE_OK
        else { return false }
        var copied: Int32 = -1
        return sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &copied) == SQLITE_OK
            && copied > 0
    }
}
