// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import GRDB
internal import TransferEngine
internal import TransferPolicy
internal import TransferScheduling

/// How transfers lie in the tables of `Schema`.
enum TransferRows {
    /// What a change did beyond the rows.
    enum Effect {
        /// Nothing.
        case none
        /// Bytes that may be secret are free space now.
        case removedSecrets
    }

    /// Writes one change. Throws `noSuchTransfer` where there is no unfinished transfer of that number.
    static func apply(_ change: StoreChange, to database: Database) throws -> Effect {
        switch change {
        case .inserted(let transfer):
            try insert(transfer, into: database)
        case .respecified(let id, let specification):
            try requireUnfinished(id, in: database)
            try run("UPDATE task SET specification = ? WHERE id = ?", [try json(specification), id.rawValue], database)
            // The earlier one may have held other secrets.
            return .removedSecrets
        case .checkpointed(let id, let resume):
            try updateProgress("resume", try resume.map(json), of: id, in: database)
        case .retried(let id, let retry):
            try updateProgress("retry", try retry.map(json), of: id, in: database)
        case .suspended(let id, let isSuspended):
            try updateProgress("is_suspended", isSuspended, of: id, in: database)
        case .held(let id, let hold):
            try updateProgress("hold", try hold.map(json), of: id, in: database)
        case .relaunchHeld(let id, let hold):
            try updateProgress("relaunch_hold", try hold.map(json), of: id, in: database)
        case .learned(let learned):
            try run("INSERT OR REPLACE INTO learned (row, value) VALUES (1, ?)", [try json(learned)], database)
        case .ended(let id, let ending):
            return try end(id, ending, in: database)
        }
        return .none
    }

    /// Every transfer of `scope` that has not ended, by identifier.
    static func unfinished(_ scope: SQLiteStoreConfiguration.Scope, in database: Database) throws -> [StoredTransfer] {
        let order = "ORDER BY task.id"
        let rows: [Row]
        switch scope {
        case .all:
            rows = try Row.fetchAll(database, sql: "\(selection) JOIN progress ON progress.task = task.id \(order)")
        case .keys(let keys):
            rows = try Row.fetchAll(
                database,
                sql: """
                    \(selection) JOIN progress ON progress.task = task.id
                    WHERE task.key IN (SELECT value FROM json_each(?)) \(order)
                    """, arguments: [try json(keys)])
        }
        return try rows.map(transfer)
    }

    /// The newest that are over, newest first.
    static func ended(limit: Int, in database: Database) throws -> [StoredTransfer] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                \(selection) LEFT JOIN progress ON progress.task = task.id
                WHERE task.ending IS NOT NULL ORDER BY task.id DESC LIMIT ?
                """, arguments: [max(0, limit)])
        return try rows.map(transfer)
    }

    /// What was learned; nil before anything was.
    static func learned(in database: Database) throws -> Learned? {
        guard let text = try String.fetchOne(database, sql: "SELECT value FROM learned") else { return nil }
        do {
            return try JSONDecoder().decode(Learned.self, from: Data(text.utf8))
        } catch {
            throw TransferStoreError(
                code: .corrupt,
                message:
                    "What was learned of this machine cannot be read (\(error)). The next thing learned replaces it.")
        }
    }

    /// The newest transfer of each of `keys` that there is one of.
    static func latest(forKeys keys: [String], in database: Database) throws -> [String: StoredTransfer] {
        let sql = """
            \(selection) LEFT JOIN progress ON progress.task = task.id
            WHERE task.id IN (
                SELECT (SELECT max(id) FROM task WHERE task.key = wanted.value) FROM json_each(?) AS wanted)
            """
        let rows = try Row.fetchCursor(database, sql: sql, arguments: [try json(keys)])
        var latest: [String: StoredTransfer] = [:]
        while let row = try rows.next() {
            guard let key = row["key"] as String? else { continue }
            latest[key] = try transfer(row)
        }
        return latest
    }

    private static let selection = """
        SELECT task.id, task.key, task.specification, task.ending, progress.resume, progress.retry, progress.is_suspended,
            progress.hold, progress.relaunch_hold
        FROM task
        """

    private static func insert(_ transfer: StoredTransfer, into database: Database) throws {
        let hasEnded = transfer.ending != nil
        let specification = hasEnded ? transfer.specification.redacted : transfer.specification
        try run(
            "INSERT INTO task (id, key, specification, ending) VALUES (?, ?, ?, ?)",
            [transfer.id.rawValue, transfer.key, try json(specification), try transfer.ending.map(json)], database)
        guard !hasEnded else { return }
        try run(
            """
            INSERT INTO progress (task, resume, retry, is_suspended, hold, relaunch_hold) VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                transfer.id.rawValue, try transfer.resume.map(json), try transfer.retry.map(json),
                transfer.isSuspended, try transfer.hold.map(json), try transfer.relaunchHold.map(json),
            ], database)
    }

    private static func end(_ id: TransferID, _ ending: TransferEnding, in database: Database) throws -> Effect {
        try run("DELETE FROM progress WHERE task = ?", [id.rawValue], database)
        guard database.changesCount == 1 else { throw noSuchTransfer(id) }
        if try holdsNoSecret(id, in: database) {
            try run("UPDATE task SET ending = ? WHERE id = ?", [try json(ending), id.rawValue], database)
            return .none
        }
        let select = try database.cachedStatement(sql: "SELECT specification FROM task WHERE id = ?")
        guard let text = try String.fetchOne(select, arguments: [id.rawValue]) else { throw noSuchTransfer(id) }
        let specification = try value(TransferSpecification.self, from: text, "specification", of: id.rawValue)
        let redacted = specification.redacted
        try run(
            "UPDATE task SET specification = ?, ending = ? WHERE id = ?",
            [try json(redacted), try json(ending), id.rawValue], database)
        return redacted == specification ? .none : .removedSecrets
    }

    /// Whether `redacted` would change nothing, told by the fields that it looks at: most transfers have nothing to
    /// hide, and to read and write a whole specification takes longer than all else that ends one.
    private static func holdsNoSecret(_ id: TransferID, in database: Database) throws -> Bool {
        // A NUL, which JSON escapes, would cut the text that comes back.
        let statement = try database.cachedStatement(
            sql: """
                SELECT json_extract(specification, '$.url') FROM task WHERE id = ?
                    AND json_array_length(specification, '$.headers') = 0
                    AND json_extract(specification, '$.credential') IS NULL
                    AND json_extract(specification, '$.answers') IS NULL AND instr(specification, '\\u0000') = 0
                """)
        guard let url = try String.fetchOne(statement, arguments: [id.rawValue]) else { return false }
        return TransferSpecification.redacted(url: url) == url
    }

    private static func updateProgress(
        _ column: String, _ value: (any DatabaseValueConvertible)?, of id: TransferID, in database: Database
    ) throws {
        try run("UPDATE progress SET \(column) = ? WHERE task = ?", [value, id.rawValue], database)
        guard database.changesCount == 1 else { throw noSuchTransfer(id) }
    }

    private static func requireUnfinished(_ id: TransferID, in database: Database) throws {
        let select = try database.cachedStatement(sql: "SELECT 1 FROM progress WHERE task = ?")
        guard try Int.fetchOne(select, arguments: [id.rawValue]) != nil else { throw noSuchTransfer(id) }
    }

    private static func run(_ sql: String, _ arguments: StatementArguments, _ database: Database) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    private static func noSuchTransfer(_ id: TransferID) -> TransferStoreError {
        TransferStoreError(
            code: .noSuchTransfer,
            message: "Transfer \(id) does not exist or has ended, so nothing of it can be changed.")
    }

    private static func transfer(_ row: Row) throws -> StoredTransfer {
        let id: Int64 = row["id"]
        func decoded<Value: Decodable>(_ type: Value.Type, _ column: String) throws -> Value? {
            guard let text = row[column] as String? else { return nil }
            return try value(type, from: text, column, of: id)
        }
        guard let specification = try decoded(TransferSpecification.self, "specification") else {
            throw unreadable("specification", of: id, "it is missing")
        }
        return StoredTransfer(
            id: TransferID(id), specification: specification,
            resume: try decoded(ResumePoint.self, "resume"), retry: try decoded(RetryState.self, "retry"),
            isSuspended: row["is_suspended"] as Bool? ?? false, hold: try decoded(TransferHold.self, "hold"),
            relaunchHold: try decoded(RelaunchLimiter.Hold.self, "relaunch_hold"),
            ending: try decoded(TransferEnding.self, "ending"),
            key: row["key"])
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func value<Value: Decodable>(
        _ type: Value.Type, from text: String, _ column: String, of id: Int64
    ) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw unreadable(column, of: id, "it is not a \(type)")
        }
    }

    /// One bad row fails the whole load: to leave it out would be to lose a transfer silently.
    private static func unreadable(_ column: String, of id: Int64, _ reason: String) -> TransferStoreError {
        TransferStoreError(
            code: .corrupt,
            message: """
                The \(column) of transfer \(id) cannot be read: \(reason). \
                Remove that row (DELETE FROM task WHERE id = \(id)) or move the file away; nothing was changed.
                """)
    }
}
