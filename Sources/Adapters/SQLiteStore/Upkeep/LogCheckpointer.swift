// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Keeps the write-ahead log short without making a commit wait, and lets the log restart at the beginning of its
/// file.
///
/// By default, SQLite copies the log into the database within the commit that makes the log too long. That commit then
/// takes about ten milliseconds. Here, another connection copies the log concurrently with the writer. The writer
/// copies the log itself only if the log grows faster than that.
///
/// After the concurrent copy, the writer copies the few pages that arrived in the meantime. The whole log is then
/// copied, and SQLite restarts at the beginning of the log. Syncing an overwritten page takes half the time of syncing
/// an appended page, because the file system has no metadata to record.
final class LogCheckpointer: Sendable {
    /// The length above which the log is copied, in pages: 4 MB.
    private static let long: Int32 = 1000
    /// The length above which the writer itself copies the log, in pages: 80 MB.
    private static let tooLong: Int32 = 20_000

    private struct State: Sendable {
        /// The length of the log, in pages.
        var pages: Int32 = 0
        /// The length above which the log is copied next. Greater if the last copy could not finish because of a
        /// reader.
        var due = LogCheckpointer.long
        var isCopying = false
        /// Whether the log has been copied except for the last few pages.
        var isNearlyCopied = false
    }

    /// The next step in copying the log.
    private enum Step {
        case none
        case copyConcurrently
        case copyOnWriter
    }

    private let state = Mutex(State())

    /// Installs a hook that counts the log's pages and replaces SQLite's automatic checkpoints. Call on the
    /// connection's queue. The keeper must outlive the connection.
    func attach(to database: Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let checkpointer = Unmanaged<LogCheckpointer>.fromOpaque(context).takeUnretainedValue()
                checkpointer.state.withLock { $0.pages = pages }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Copies the log if it has become long. Call on the connection's queue, after a commit.
    func shrinkIfLong(_ database: Database, path: String) {
        switch nextStep() {
        case .none: break
        case .copyOnWriter:
            // Busy, or the disk is full: a later commit tries again.
            sqlite3_wal_checkpoint_v2(database.sqliteConnection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        case .copyConcurrently:
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
                return .copyOnWriter
            }
            state.isCopying = true
            return .copyConcurrently
        }
    }

    /// Copies the current log on a separate connection. Returns whether the copy succeeded and there was anything to
    /// copy.
    static func copy(_ path: String) -> Bool {
        var connection: OpaquePointer?
        // SQLite requires closing a connection even if opening it failed.
        defer { sqlite3_close(connection) }
        // Before its first read, a connection does not know of the log and would copy nothing.
        guard
            sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
            sqlite3_exec(connection, "PRAGMA schema_version", nil, nil, nil) == SQLITE_OK
        else { return false }
        var copied: Int32 = -1
        return sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &copied) == SQLITE_OK
            && copied > 0
    }
}
