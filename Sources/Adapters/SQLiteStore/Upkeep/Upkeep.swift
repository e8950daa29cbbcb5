// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import TransferEngine
internal import TransferModel

/// The periodic work in addition to the commits: folding events, deleting expired rows, erasing secrets, and renewing
/// the backup.
final class Upkeep: Sendable {
    /// The maximum number of rows that one deleting transaction removes per rule. Takes a few milliseconds.
    static let slice = 500
    /// The age at which a backup is renewed.
    private static let backupAge: Duration = .seconds(24 * 3600)

    private let configuration: SQLiteStoreConfiguration
    private let file: QueueFile
    private let loss: StateLoss?
    private let expired: ExpiredRows
    private let database: DatabaseQueue
    private let rows: TransferRows
    private let writer: GroupCommit

    /// - Parameter loss: The data loss that occurred when this run opened the queue.
    init(
        _ configuration: SQLiteStoreConfiguration, loss: StateLoss?, database: DatabaseQueue, rows: TransferRows,
        writer: GroupCommit
    ) {
        self.configuration = configuration
        file = QueueFile(path: configuration.path)
        self.loss = loss
        expired = ExpiredRows(configuration.retention)
        self.database = database
        self.rows = rows
        self.writer = writer
    }

    /// Folds events, deletes expired rows, erases the remains of ended secrets, and renews the backup if it is due.
    ///
    /// Runs automatically a few seconds after the last commit, or after `upkeepInterval` on a busy store. Blocks until
    /// it is done; commits run between its transactions.
    ///
    /// - Parameter between: Called after each transaction.
    func perform(at now: WallTime = .now, slice: Int = slice, between: () throws -> Void = {}) throws {
        guard !writer.isClosed else { return }
        let hasEndedSecrets = writer.consumeEndedSecrets()
        var isDone = false
        defer { if !isDone && hasEndedSecrets { writer.restoreEndedSecrets() } }
        try transact { [rows] database in try rows.events.fold(database) }
        try between()
        var hasDeleted = false
        while !writer.isClosed {
            let count = try transact { [expired] in try expired.delete(at: now, atMost: slice, in: $0) }
            try between()
            guard count > 0 else { break }
            hasDeleted = true
        }
        if hasDeleted || hasEndedSecrets { try removeUnusedClasses() }
        // Host names must not stay in the log, either.
        if hasDeleted { writer.needsScrub() }
        database.writeWithoutTransaction { [writer] in writer.scrubIfNeeded($0, isForced: true) }
        file.removeDamaged(own: loss?.damagedFile, hasErasedSecrets: writer.hasErasedSecrets, at: now)
        if configuration.keepsBackup, hasEndedSecrets || isBackupDue(at: now) { try backUp() }
        isDone = true
    }

    private func transact<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var value: Value?
        try database.writeWithoutTransaction { database in
            try database.inTransaction(.immediate) {
                value = try body(database)
                return .commit
            }
        }
        guard let value else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        return value
    }

    /// Removes the traits, including host names, that no transfer has anymore. Only if this store owns the whole
    /// queue: another process may be about to use a class that it has cached.
    private func removeUnusedClasses() throws {
        guard configuration.scope == .all, !writer.isClosed else { return }
        database.writeWithoutTransaction { [rows] _ in rows.classes.beginWatching() }
        // A separate connection, because searching a long queue takes a while.
        let reader = try DatabaseQueue(path: file.path)
        let unused = try reader.read { database in
            try Int64.fetchAll(
                database,
                sql: """
                    SELECT number FROM class WHERE number NOT IN (SELECT class FROM queue UNION SELECT class FROM ended)
                    """)
        }
        try reader.close()
        try transact { [rows] database in try rows.classes.remove(unused, in: database) }
    }

    // MARK: Backup

    private func isBackupDue(at now: WallTime) -> Bool {
        guard let made = file.backupDate else { return true }
        return made.duration(to: now) >= Self.backupAge || made > now
    }

    /// Makes a backup: a complete copy, made from a database that passed the check, that then replaces the earlier
    /// backup. Secrets that end in the meantime may be in the copy; the next upkeep then makes another backup.
    func backUp() throws {
        let path = file.path
        let new = file.backup + ".new"
        unlink(new)
        do {
            let descriptor = Glibc.open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw TransferStoreError(code: .notWritable, making: new[...], errno) }
            Glibc.close(descriptor)
            // A separate connection, so that commits do not wait for the copy.
            let source = try DatabaseQueue(path: path)
            try source.writeWithoutTransaction { [file] database in
                if let found = try QueueOpener.check(database) {
                    file.markSuspect()
                    throw TransferStoreError(code: .corrupt, message: "The queue \(path) is damaged (\(found)).")
                }
                try database.execute(sql: "VACUUM INTO ?", arguments: [new])
            }
            try source.close()
            try Self.sync(new)
            guard rename(new, file.backup) == 0 else {
                throw TransferStoreError(code: .notWritable, making: new[...], errno)
            }
        } catch {
            unlink(new)
            throw TransferStoreError(wrapping: error, path: path)
        }
    }

    private static func sync(_ path: String) throws {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        defer { Glibc.close(descriptor) }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw TransferStoreError(code: .notWritable, making: path[...], errno)
        }
    }
}
