// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import TransferEngine

extension SQLiteStore {
    /// A connection to the database at the configured path: created, private, durable, up to date.
    static func open(_ configuration: SQLiteStoreConfiguration) throws -> DatabaseQueue {
        let path = configuration.path
        do {
            try makeFolder(of: path)
            try makeFile(path)
            return try connect(configuration)
        } catch let error as TransferStoreError {
            throw error.naming(path)
        } catch {
            throw TransferStoreError(wrapping: error, path: path)
        }
    }

    /// `duration` for SQLite, which counts in milliseconds.
    static func milliseconds(_ duration: Duration) -> Int {
        Int(max(.zero, min(duration, .seconds(86_400))) / .milliseconds(1))
    }

    private static func connect(_ configuration: SQLiteStoreConfiguration) throws -> DatabaseQueue {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: configuration.busyTimeout)
        while true {
            do {
                let queue = try DatabaseQueue(path: configuration.path, configuration: connection(configuration))
                try queue.writeWithoutTransaction { database in
                    try makeDurable(database)
                    try Schema.migrate(database, path: configuration.path)
                }
                return queue
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && clock.now < end {
                // The change of a fresh file to WAL does not wait for the busy timeout (it would have to give up its
                // read lock first), so of several processes that open one together all but one come through here.
                usleep(5_000)
            }
        }
    }

    private static func connection(_ configuration: SQLiteStoreConfiguration) -> Configuration {
        var connection = Configuration()
        connection.label = "SQLiteStore"
        connection.busyMode = .timeout(Double(milliseconds(configuration.busyTimeout)) / 1000)
        // GRDB ends the process over a transaction that is left open. A disk that fails a ROLLBACK would be enough for
        // that, so it is allowed, and `GroupCommit` gives such a one up before the next.
        connection.allowsUnsafeTransactions = true
        return connection
    }

    /// GRDB's own way to WAL sets `synchronous=NORMAL`, also after `prepareDatabase`: commits would be acknowledged
    /// that a power loss takes back. So both are set here, when GRDB has finished with the connection.
    private static func makeDurable(_ database: Database) throws {
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw TransferStoreError(
                code: .other,
                message: "This file system cannot hold a write-ahead log. Use a state folder on a local disk.")
        }
        try database.execute(sql: "PRAGMA synchronous = FULL")
        // Zeroes what is deleted: header fields of ended transfers do not linger in free pages. That costs half a
        // microsecond when a transfer ends, and writes pages that become free once more when transfers are forgotten (some
        // 200 bytes a transfer); FAST would leave secrets in those.
        try database.execute(sql: "PRAGMA secure_delete = ON")
    }

    /// Makes the folder and those above it, each for its owner alone. An existing one keeps the mode it has.
    private static func makeFolder(of path: String) throws {
        var folders: [Substring] = []
        var rest = Substring(path)
        while let slash = rest.lastIndex(of: "/"), slash != rest.startIndex {
            rest = rest[..<slash]
            folders.append(rest)
        }
        for folder in folders.reversed() where mkdir(String(folder), 0o700) != 0 && errno != EEXIST {
            // The folder may exist all the same where an upper one may only be passed through.
            let problem = errno
            guard access(String(folder), F_OK) != 0 else { continue }
            throw TransferStoreError(code: problem == ENOSPC ? .diskFull : .notWritable, making: folder, problem)
        }
    }

    /// Makes the file before SQLite does, so that it is never readable by others; `-wal` and `-shm` take its mode.
    ///
    /// An existing file is not opened here: closing it would drop the locks that this process holds on it elsewhere
    /// (POSIX locks belong to the process, not to the descriptor).
    private static func makeFile(_ path: String) throws {
        let descriptor = Glibc.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            Glibc.close(descriptor)
            return
        }
        let problem = errno
        guard problem == EEXIST else {
            throw TransferStoreError(code: problem == ENOSPC ? .diskFull : .notWritable, making: path[...], problem)
        }
        for file in [path, path + "-wal", path + "-shm"] {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            guard chmod(file, 0o600) == 0 else {
                throw TransferStoreError(
                    code: .notWritable,
                    message: "\(file) can be read by others and belongs to another user. Use another state folder.")
            }
        }
    }
}
