// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import TransferEngine
internal import TransferModel

/// Opens the database of a queue: created, private, durable, up to date, and repaired where that is wanted.
struct QueueOpener {
    private let configuration: SQLiteStoreConfiguration
    private let file: QueueFile

    init(_ configuration: SQLiteStoreConfiguration) {
        self.configuration = configuration
        file = QueueFile(path: configuration.path)
    }

    /// Opens the database; a damaged one is moved aside, and the newest good backup takes its place.
    func open() throws -> (DatabaseQueue, StateLoss?) {
        do {
            return (try openChecked(), nil)
        } catch let error as TransferStoreError where error.code == .corrupt && configuration.repairsDamage {
            // One process repairs, the others wait for it and find a good file.
            let descriptor = Glibc.open(file.repairLock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { if descriptor >= 0 { Glibc.close(descriptor) } }
            guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw error }
            defer { unlink(file.repairLock) }
            if let queue = try? openChecked() { return (queue, nil) }
            let aside = try file.moveAside(reason: error.message)
            file.trust()
            let loss = StateLoss(damagedFile: aside, backupDate: try restore(), reason: error.message)
            return (try connect(), loss)
        }
    }

    /// Describes what is wrong with a database by SQLite's own check; nil where nothing is.
    static func check(_ database: Database) throws -> String? {
        let found = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
        return found == "ok" ? nil : found ?? "the check gave no answer"
    }

    /// Opens the database, looks at what is read first, and where an earlier run has met damage, at all of it.
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
                file.trust()
                return queue
            }
            try? queue.close()
            throw TransferStoreError(code: .corrupt, message: "The queue \(file.path) is damaged (\(found)).")
        } catch {
            throw TransferStoreError(wrapping: error, path: file.path)
        }
    }

    /// Puts the backup in place where it is good, and returns when it was made.
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
                    try Schema.migrate(database, path: file.path)
                }
                return queue
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && clock.now < end {
                // The change of a fresh file to WAL does not wait for the busy timeout (it would have to give up its
                // read lock first), so of several processes that open one together all but one come through here.
                usleep(5_000)
            }
        }
    }

    private var connection: Configuration {
        var connection = Configuration()
        connection.label = "SQLiteStore"
        connection.busyMode = .timeout(Double(configuration.busyTimeout.wholeMilliseconds) / 1000)
        // GRDB ends the process over a transaction that is left open. A disk that fails a ROLLBACK would be enough for
        // that, so it is allowed, and `GroupCommit` gives such a one up before the next.
        connection.allowsUnsafeTransactions = true
        return connection
    }

    /// GRDB's own way to WAL sets `synchronous=NORMAL`, also after `prepareDatabase`: commits would be acknowledged
    /// that a power loss takes back. So both are set here, when GRDB has finished with the connection.
    private func makeDurable(_ database: Database) throws {
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
}

extension Duration {
    /// The duration in milliseconds, in which SQLite counts; from 0 to one day.
    var wholeMilliseconds: Int { Int(max(.zero, min(self, .seconds(86_400))) / .milliseconds(1)) }
}
