// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import TransferEngine
public import TransferModel

/// What became of a queue whose file was found to be damaged.
public struct StateLoss: Hashable, Sendable, CustomStringConvertible {
    /// Where the damaged file lies now, for who wants to look into it.
    public var damagedFile: String
    /// When the backup was made that took its place; nil where there was none, so that the queue began empty.
    public var backupDate: WallTime?
    /// What was wrong.
    public var reason: String

    /// One or two sentences for people.
    public var description: String {
        let rest =
            backupDate == nil
            ? "There was no good backup, so the queue began empty: what waited has to be handed over again."
            : "A backup took its place: what was handed over or ended since it was made is lost or comes once more."
        return
            "The queue was damaged (\(reason)). It was moved to \(damagedFile), and stays there until a transfer with "
            + "secrets ends, at most for a week. \(rest) Partial files are kept."
    }
}

extension SQLiteStore {
    /// Opens the database; a damaged one is moved aside, and the newest good backup takes its place.
    static func openRepairing(_ configuration: SQLiteStoreConfiguration) throws -> (DatabaseQueue, StateLoss?) {
        let path = configuration.path
        do {
            return (try openChecked(configuration), nil)
        } catch let error as TransferStoreError where error.code == .corrupt && configuration.repairsDamage {
            // One process repairs, the others wait for it and find a good file.
            let descriptor = Glibc.open(path + ".repair", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { if descriptor >= 0 { Glibc.close(descriptor) } }
            guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { throw error }
            defer { unlink(path + ".repair") }
            if let queue = try? openChecked(configuration) { return (queue, nil) }
            let loss = try repair(path, reason: error.message)
            return (try open(configuration), loss)
        }
    }

    /// Opens the database, looks at what is read first, and where an earlier run has met damage, at all of it.
    private static func openChecked(_ configuration: SQLiteStoreConfiguration) throws -> DatabaseQueue {
        let queue = try open(configuration)
        let suspicion = suspicionFile(of: configuration.path)
        do {
            for table in ["event", "ended"] {
                _ = try queue.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
            }
        } catch {
            try? queue.close()
            throw TransferStoreError(wrapping: error, path: configuration.path)
        }
        guard access(suspicion, F_OK) == 0 else { return queue }
        do {
            let found = try queue.writeWithoutTransaction { try check($0) }
            guard let found else {
                unlink(suspicion)
                return queue
            }
            try? queue.close()
            throw TransferStoreError(
                code: .corrupt, message: "The queue \(configuration.path) is damaged (\(found)).")
        } catch {
            throw TransferStoreError(wrapping: error, path: configuration.path)
        }
    }

    /// What is wrong with a database by SQLite's own check; nil where nothing is.
    static func check(_ database: Database) throws -> String? {
        let found = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
        return found == "ok" ? nil : found ?? "the check gave no answer"
    }

    /// Tells the next run, and other processes that open the database from now on, to look at all of it.
    static func suspect(_ path: String) {
        let descriptor = Glibc.open(suspicionFile(of: path), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private static func suspicionFile(of path: String) -> String { path + ".suspect" }

    /// Where the backup lies.
    static func backupFile(of path: String) -> String { path + ".backup" }

    private static func repair(_ path: String, reason: String) throws -> StateLoss {
        let aside = path + ".damaged-\(WallTime.now.secondsSinceEpoch)"
        for suffix in ["", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, aside + suffix) == 0 else {
                throw TransferStoreError(code: .corrupt, message: "\(reason) It cannot be moved aside, either.")
            }
        }
        unlink(suspicionFile(of: path))
        return StateLoss(damagedFile: aside, backupDate: try restore(path), reason: reason)
    }

    /// Puts the backup in place where it is good, and tells when it was made.
    private static func restore(_ path: String) throws -> WallTime? {
        let backup = backupFile(of: path)
        var status = stat()
        guard stat(backup, &status) == 0 else { return nil }
        let queue = try? DatabaseQueue(path: backup)
        let isGood = (try? queue?.writeWithoutTransaction { try check($0) == nil }) ?? false
        try? queue?.close()
        guard isGood, rename(backup, path) == 0 else { return nil }
        return WallTime(
            nanosecondsSinceEpoch: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }
}
