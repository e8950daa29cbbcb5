// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import TransferEngine
internal import TransferPolicy

/// What is done when nobody waits for the database.
extension SQLiteStore {
    /// Folds events, forgets what is old enough, and renews the backup where it is due.
    ///
    /// Runs by itself some seconds after the last commit; blocks while it does.
    func performUpkeep() throws {
        let retention = configuration.retention
        let now = WallTime.now
        guard !writer.isClosed else { return }
        try database.writeWithoutTransaction { [rows] database in
            try database.inTransaction(.immediate) {
                try rows.fold(database)
                try Self.forget(retention, at: now, in: database)
                return .commit
            }
        }
        guard Self.isBackupDue(configuration, at: now) else { return }
        try backUp()
    }

    /// Removes ended transfers and history beyond their age and number; open transfers stay whatever their age.
    static func forget(
        _ retention: SQLiteStoreConfiguration.Retention, at now: WallTime, in database: Database
    ) throws {
        let oldest = now.advanced(by: .zero - retention.age).nanosecondsSinceEpoch
        try database.execute(
            sql: """
                DELETE FROM task WHERE id IN (
                    SELECT task FROM ended WHERE time < ?1
                    UNION SELECT task FROM (SELECT task FROM ended ORDER BY task DESC LIMIT -1 OFFSET ?2))
                """, arguments: [oldest, retention.count])
        try database.execute(
            sql: """
                DELETE FROM moment WHERE time < ? AND task NOT IN (SELECT task FROM queue)
                """, arguments: [oldest])
        // The last one before stays: it says what was in force.
        try database.execute(
            sql: """
                DELETE FROM condition WHERE number < (SELECT max(number) FROM condition WHERE time < ?)
                """, arguments: [oldest])
    }

    /// The same where there is anything to remove: of a program that never runs long enough to be idle.
    static func forgetIfMany(_ retention: SQLiteStoreConfiguration.Retention, in database: Database) throws {
        let now = WallTime.now
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM ended") ?? 0
        let oldest = try Int64.fetchOne(database, sql: "SELECT min(time) FROM ended")
        let limit = now.advanced(by: .zero - retention.age).nanosecondsSinceEpoch
        guard count > retention.count || oldest ?? .max < limit else { return }
        try database.inTransaction(.immediate) {
            try forget(retention, at: now, in: database)
            return .commit
        }
    }

    /// A backup older than this is renewed.
    private static let backupAge: Duration = .seconds(24 * 3600)

    private static func isBackupDue(_ configuration: SQLiteStoreConfiguration, at now: WallTime) -> Bool {
        guard configuration.keepsBackup else { return false }
        var status = stat()
        guard stat(backupFile(of: configuration.path), &status) == 0 else { return true }
        let made = WallTime(secondsSinceEpoch: Int64(status.st_mtim.tv_sec))
        return made.duration(to: now) >= backupAge || made > now
    }

    private static func sync(_ path: String) throws {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        defer { Glibc.close(descriptor) }
        guard descriptor >= 0, fsync(descriptor) == 0 else {
            throw TransferStoreError(code: .notWritable, making: path[...], errno)
        }
    }

    /// Makes a backup: a whole copy of its own, checked before it takes the place of the one before.
    func backUp() throws {
        let path = configuration.path
        let scrubs = writer.scrubCount
        let new = Self.backupFile(of: path) + ".new"
        unlink(new)
        do {
            let descriptor = Glibc.open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw TransferStoreError(code: .notWritable, making: new[...], errno) }
            Glibc.close(descriptor)
            // A connection of its own: what is committed meanwhile does not wait for the copy.
            let source = try DatabaseQueue(path: path)
            try source.writeWithoutTransaction { database in
                if let found = try Self.check(database) {
                    Self.suspect(path)
                    throw TransferStoreError(code: .corrupt, message: "The queue \(path) is damaged (\(found)).")
                }
                try database.execute(sql: "VACUUM INTO ?", arguments: [new])
            }
            try source.close()
            try Self.sync(new)
            // Secrets that were erased meanwhile must not live on in the copy; the next idle time makes another.
            guard writer.scrubCount == scrubs else {
                unlink(new)
                return
            }
            guard rename(new, Self.backupFile(of: path)) == 0 else {
                throw TransferStoreError(code: .notWritable, making: new[...], errno)
            }
        } catch {
            unlink(new)
            throw TransferStoreError(wrapping: error, path: path)
        }
    }
}
