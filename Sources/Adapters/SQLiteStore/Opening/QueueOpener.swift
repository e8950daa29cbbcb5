// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import TransferEngine
public import TransferModel

/// Opens the database of a queue: creates a private file, makes commits durable, migrates the schema, and repairs
/// damage if the configuration asks for that.
struct QueueOpener {
    private let configuration: SQLiteStoreConfiguration
    private let file: QueueFile

    init(_ configuration: SQLiteStoreConfiguration) {
        self.configuration = configuration
        file = QueueFile(path: configuration.path)
    }

    /// Opens the database. If `repairsDamage` is `true`, moves a damaged database aside and restores the backup if the
    /// backup is good.
    func open() throws -> (DatabaseQueue, StateLoss?) {
        do {
            return (try openChecked(), nil)
        } catch let error as TransferStoreError where error.code == .corrupt && configuration.repairsDamage {
            // One process repairs the file. The other processes wait and then find a good file.
            let descriptor = Glibc.open(file.repairLock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { if descriptor >= 0 { Glibc.close(descriptor) } }
            guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw error }
            defer { unlink(file.repairLock) }
            if let queue = try? openChecked() { return (queue, nil) }
            let aside = try file.moveAside(reason: error.message)
            file.clearSuspicion()
            let loss = StateLoss(damagedFile: aside, backupDate: try restore(), reason: error.message)
            return (try connect(), loss)
        }
    }

    /// Returns a description of the damage that SQLite's quick check finds; `nil` if the database is sound.
    static func check(_ database: Database) throws -> String? {
        let found = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
        return found == "ok" ? nil : found ?? "the check returned no result"
    }

    /// Opens the database and reads the tables that are read first. Checks the whole database if an earlier run found
    /// damage.
    private func openChecked() throws -> DatabaseQueue {
        let queue = try connect()
        do {
            try queue.writeWithoutTransaction { database in
                for table in ["event", "ended"] {
                    _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)")
                }
            }
        } catch {
            try? queue.close()
            throw TransferStoreError(wrapping: error, path: file.path)
        }
        guard file.isSuspect else { return queue }
        do {
            let found = try queue.writeWithoutTransaction { try Self.check($0) }
            guard let found else {
                file.clearSuspicion()
                return queue
            }
            try? queue.close()
            throw TransferStoreError(code: .corrupt, message: "The queue \(file.path) is damaged (\(found)).")
        } catch {
            throw TransferStoreError(wrapping: error, path: file.path)
        }
    }

    /// Restores the backup if it is good, and returns the date of the backup.
    private func restore() throws -> WallTime? {
        guard let made = file.backupDate else { return nil }
        let queue = try? DatabaseQueue(path: file.backup)
        let isGood = (try? queue?.writeWithoutTransaction { try Self.check($0) == nil }) ?? false
        try? queue?.close()
        return isGood && rename(file.backup, file.path) == 0 ? made : nil
    }

    // MARK: Connecting

    private func connect() throws -> DatabaseQueue {
        do {
            try file.create()
            return try connectPatiently()
        } catch {
            throw TransferStoreError(wrapping: error, path: file.path)
        }
    }

    private func connectPatiently() throws -> DatabaseQueue {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: configuration.busyTimeout)
        while true {
            do {
                let queue = try DatabaseQueue(path: file.path, configuration: connection)
                try queue.writeWithoutTransaction { database in
                    try makeDurable(database)
                    try Schema.migrate(database, path: file.path, to: migrations)
                }
                return queue
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && clock.now < end {
                // Switching a new file to WAL ignores the busy timeout, because SQLite would have to give up its read
                // lock first. If several processes open a new file together, all but one reach this line.
                usleep(5_000)
            }
        }
    }

    private var migrations: [SchemaMigration] { Schema.migrations + configuration.laterMigrations }

    /// Checks that a newer version did not write the database. Changes nothing, and does not disturb a process that
    /// uses the database.
    ///
    /// - Throws: `TransferStoreError`.
    func checkVersion() throws {
        guard access(file.path, F_OK) == 0 else { return }
        do {
            var connection = connection
            connection.readonly = true
            let queue = try DatabaseQueue(path: file.path, configuration: connection)
            defer { try? queue.close() }
            try queue.read { try Schema.check($0, path: file.path, against: migrations) }
        } catch {
            throw TransferStoreError(wrapping: error, path: file.path)
        }
    }

    private var connection: Configuration {
        var connection = Configuration()
        connection.label = "SQLiteStore"
        connection.busyMode = .timeout(Double(configuration.busyTimeout.wholeMilliseconds) / 1000)
        // GRDB ends the process if a transaction is left open. A disk that fails a ROLLBACK would suffice. Open
        // transactions are therefore allowed, and `GroupCommit` rolls one back before the next begins.
        connection.allowsUnsafeTransactions = true
        return connection
    }

    /// Sets WAL mode and `synchronous=FULL` after GRDB has configured the connection. GRDB's own WAL setup applies
    /// `synchronous=NORMAL`, even after `prepareDatabase`. A power loss could then take back acknowledged commits.
    private func makeDurable(_ database: Database) throws {
        let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw TransferStoreError(
                code: .other,
                message: "This file system does not support a write-ahead log. Use a state folder on a local disk.")
        }
        try database.execute(sql: "PRAGMA synchronous = FULL")
        // Overwrites deleted content with zeros, so that header fields of ended transfers do not remain in free pages.
        // The cost is half a microsecond per ended transfer. Pages that become free are written once more when
        // transfers are deleted (about 200 bytes a transfer). FAST would leave secrets in free pages.
        try database.execute(sql: "PRAGMA secure_delete = ON")
    }
}

extension Duration {
    /// The duration in whole milliseconds, SQLite's unit, clamped to the range from 0 to one day.
    var wholeMilliseconds: Int { Int(max(.zero, min(self, .seconds(86_400))) / .milliseconds(1)) }
}

/// A report on a damaged queue file that was replaced.
public struct StateLoss: Hashable, Sendable, CustomStringConvertible {
    /// The path of the damaged file, kept for inspection.
    public var damagedFile: String
    /// The date of the backup that replaced the file; `nil` if the queue began empty because there was no good backup.
    public var backupDate: WallTime?
    /// The damage, as SQLite describes it.
    public var reason: String

    /// A summary of four sentences for display to the user.
    public var description: String {
        let rest =
            backupDate == nil
            ? "There was no good backup, so the queue starts empty: submit the waiting transfers again."
            : "A backup was restored: later submissions are lost, and transfers that ended later run again."
        return
            "The queue was damaged (\(reason)). The file was moved to \(damagedFile), and is removed after a transfer with "
            + "secrets ends, or after a week. \(rest) Partial files are kept."
    }
}
