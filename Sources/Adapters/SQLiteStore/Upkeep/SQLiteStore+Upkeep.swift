// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import TransferEngine
internal import TransferModel

/// What is done now and then, beside the commits.
extension SQLiteStore {
    /// The most transfers or moments that one transaction of upkeep removes: some milliseconds' work.
    static let upkeepSlice = 500

    /// Folds events, forgets what is old enough, removes what is left of ended secrets, and renews the backup where it is
    /// due.
    ///
    /// Runs by itself some seconds after the last commit, or after `upkeepInterval` on a busy store. Blocks while it does;
    /// commits go in between its transactions.
    ///
    /// - Parameter between: called after each transaction.
    func performUpkeep(
        at now: WallTime = .now, slice: Int = upkeepSlice, between: () throws -> Void = {}
    ) throws {
        guard !writer.isClosed else { return }
        let hasEndedSecrets = writer.takeEndedSecrets()
        var isDone = false
        defer { if !isDone && hasEndedSecrets { writer.putBackEndedSecrets() } }
        try inUpkeep { [rows] database in try rows.fold(database) }
        try between()
        var hasForgotten = false
        while !writer.isClosed {
            let retention = configuration.retention
            let count = try inUpkeep { try Self.forget(retention, at: now, slice, in: $0) }
            try between()
            guard count > 0 else { break }
            hasForgotten = true
        }
        if hasForgotten || hasEndedSecrets { try removeUnusedClasses() }
        // Hosts are not to stay in the log, either.
        if hasForgotten { writer.needsScrub() }
        database.writeWithoutTransaction { [writer] in writer.scrubIfNeeded($0, isForced: true) }
        removeDamagedFiles(at: now)
        if configuration.keepsBackup, hasEndedSecrets || Self.isBackupDue(configuration, at: now) { try backUp() }
        isDone = true
    }

    /// One transaction of upkeep.
    func inUpkeep<Value>(_ body: (Database) throws -> Value) throws -> Value {
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

    /// Removes ended transfers and history beyond their age and number, at most so many of each; open transfers stay
    /// whatever their age.
    ///
    /// - Returns: how many were removed; 0 where nothing is left to remove.
    static func forget(
        _ retention: SQLiteStoreConfiguration.Retention, at now: WallTime, _ most: Int = .max, in database: Database
    ) throws -> Int {
        let oldest = now.advanced(by: .zero - retention.age).nanosecondsSinceEpoch
        var count = 0
        try database.execute(
            sql: """
                DELETE FROM task WHERE id IN (SELECT task FROM ended WHERE time < ?1 ORDER BY task LIMIT ?2)
                """, arguments: [oldest, most])
        count += database.changesCount
        try database.execute(
            sql: """
                DELETE FROM task WHERE id IN (
                    SELECT task FROM ended
                    WHERE task <= (SELECT task FROM ended ORDER BY task DESC LIMIT 1 OFFSET ?1) ORDER BY task LIMIT ?2)
                """, arguments: [retention.count, most])
        count += database.changesCount
        try database.execute(
            sql: """
                DELETE FROM moment WHERE number IN (
                    SELECT number FROM moment WHERE time < ?1 AND task NOT IN (SELECT task FROM queue)
                    ORDER BY time LIMIT ?2)
                """, arguments: [oldest, most])
        count += database.changesCount
        // The last one before stays: it says what was in force.
        try database.execute(
            sql: """
                DELETE FROM condition WHERE number < (SELECT max(number) FROM condition WHERE time < ?)
                """, arguments: [oldest])
        return count
    }

    /// The same where there is anything to remove: of a program that never runs long enough for upkeep.
    static func forgetIfMany(_ retention: SQLiteStoreConfiguration.Retention, in database: Database) throws {
        let now = WallTime.now
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM ended") ?? 0
        let oldest = try Int64.fetchOne(database, sql: "SELECT min(time) FROM ended")
        let limit = now.advanced(by: .zero - retention.age).nanosecondsSinceEpoch
        guard count > retention.count || oldest ?? .max < limit else { return }
        try database.inTransaction(.immediate) {
            _ = try forget(retention, at: now, in: database)
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

    /// Makes a backup: a whole copy of its own, checked before it takes the place of the one before. Secrets that end
    /// meanwhile may be in it; the next upkeep makes another then.
    func backUp() throws {
        let path = configuration.path
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
            guard rename(new, Self.backupFile(of: path)) == 0 else {
                throw TransferStoreError(code: .notWritable, making: new[...], errno)
            }
        } catch {
            unlink(new)
            throw TransferStoreError(wrapping: error, path: path)
        }
    }
}
