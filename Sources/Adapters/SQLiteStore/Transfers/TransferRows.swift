// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel
internal import TransferScheduling

/// The transfers in the tables of `Schema`, on the single connection that reads and writes them.
///
/// Work for each of thousands of transfers uses SQLite's prepared statements directly; all other work uses GRDB.
final class TransferRows: @unchecked Sendable {
    // Guard: used on the connection's serial queue only, except for the lock in `classes`.
    private var statements: Statements?
    let classes = TraitClassRows()
    let events = EventRows()
    /// The last ID assigned, or `nil` until the current transaction has queried it.
    private var last: Int64?

    /// The effect of a change beyond the written rows.
    enum Effect {
        /// No further effect.
        case none
        /// The change assigned an ID.
        case assigned(TransferID)
        /// Bytes that may be secret are now in free space.
        case removedSecrets
    }

    /// Prepares the statements and folds the events of an earlier run.
    func prepare(_ database: Database) throws {
        statements = try Statements(database)
        try events.prepare(database)
    }

    /// Releases the prepared statements, so that the connection can be closed.
    func end() { statements = nil }

    func prepared() throws -> Statements {
        guard let statements else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        return statements
    }

    // MARK: Transactions

    /// Discards the state of a finished transaction. Another process may assign IDs from now on.
    func endTransaction(isRolledBack: Bool) {
        last = nil
        if isRolledBack { classes.discardNew() } else { classes.commitNew() }
    }

    private func next() throws -> Int64 {
        let next = try known() + 1
        last = next
        return next
    }

    private func known() throws -> Int64 {
        if let last { return last }
        let statement = try prepared().last
        defer { statement.reset() }
        guard try statement.step() else { throw Self.lostIdentifier }
        let saved = statement.integer(0)
        last = saved
        return saved
    }

    private static let lostIdentifier = TransferStoreError(
        code: .corrupt,
        message: "The table 'identifier' has no row. Restore the file from a backup or move the file away.")

    // MARK: Changes

    /// Writes one change. Throws `noSuchTransfer` if no unfinished transfer has that ID.
    func apply(_ change: PreparedChange, to database: Database) throws -> Effect {
        switch change {
        case .submitted(let columns, let key, let resume):
            let id = try next()
            try insert(id, key, columns, into: database)
            if let resume { try events.append(.resume, resume, of: id, by: prepared()) }
            return .assigned(TransferID(id))
        case .inserted(let transfer, let columns):
            try insert(transfer, columns, into: database)
        case .respecified(let id, let columns):
            try respecify(id, columns, in: database)
            // The earlier specification may have contained other secrets.
            return .removedSecrets
        case .event(let id, let kind, let value):
            try events.append(kind, value, of: id.rawValue, by: prepared())
        case .statistics(let value):
            try database.run("INSERT OR REPLACE INTO learned (row, value) VALUES (1, ?)", [value])
        case .ended(let id, let ending):
            return try end(id.rawValue, ending, in: database)
        }
        return .none
    }

    private func insert(_ id: Int64, _ key: String?, _ columns: TransferColumns, into database: Database) throws {
        let statements = try prepared()
        let shared = try classes.number(of: columns.shared, in: database)
        try statements.insertTask(id, key, columns)
        try statements.insertQueue(id, shared, columns.numbers)
    }

    private func insert(_ transfer: StoredTransfer, _ columns: TransferColumns, into database: Database) throws {
        let id = transfer.id.rawValue
        try insert(id, transfer.key, columns, into: database)
        if id > (try known()) { last = id }
        guard transfer.ending == nil else {
            _ = try end(id, try JSONText.encode(transfer.ending?.redacted), in: database)
            return
        }
        let values: [(EventKind, String?)] = [
            (.resume, try transfer.resume.map(JSONText.encode)), (.retry, try transfer.retry.map(JSONText.encode)),
            (.suspended, transfer.isSuspended ? "1" : nil), (.hold, try transfer.hold.map(JSONText.encode)),
            (.relaunchDelay, try transfer.relaunchDelay.map(JSONText.encode)),
        ]
        for (kind, value) in values where value != nil { try events.append(kind, value, of: id, by: prepared()) }
    }

    private func respecify(_ id: TransferID, _ columns: TransferColumns, in database: Database) throws {
        let numbers = columns.numbers
        try database.run(
            """
            UPDATE queue SET class = ?, submitted = ?, deadline = ?, not_before = ?, expected = ?, sending = ?,
                expires = ?
            WHERE task = ?
            """,
            [
                try classes.number(of: columns.shared, in: database), numbers.submitted, numbers.deadline,
                numbers.notBefore,
                numbers.expected, numbers.sending, numbers.expires, id.rawValue,
            ])
        guard database.changesCount == 1 else { throw TransferStoreError.noSuchTransfer(id.rawValue) }
        try rewrite(id.rawValue, columns, in: database)
    }

    private func rewrite(_ id: Int64, _ columns: TransferColumns, in database: Database) throws {
        try database.run(
            "UPDATE task SET specification = ?, url = ?, directory = ?, name = ?, collision = ? WHERE id = ?",
            [
                columns.rest, columns.url, columns.destination.directory, columns.destination.name,
                columns.destination.collision.rawValue, id,
            ])
    }

    private func end(_ id: Int64, _ ending: String, in database: Database) throws -> Effect {
        try database.run(
            """
            INSERT INTO ended (task, time, ending, class, submitted, deadline, not_before, expected, sending, expires)
                SELECT task, ?, ?, class, submitted, deadline, not_before, expected, sending, expires
                FROM queue WHERE task = ?
            """, [WallTime.now.nanosecondsSinceEpoch, ending, id])
        guard database.changesCount == 1 else { throw TransferStoreError.noSuchTransfer(id) }
        let holdsNoSecret = try holdsNoSecret(id, in: database)
        for sql in [
            "DELETE FROM queue WHERE task = ?", "DELETE FROM progress WHERE task = ?",
            "DELETE FROM event WHERE task = ?",
        ] { try database.run(sql, [id]) }
        if holdsNoSecret { return .none }
        guard let specification = try transfer(id, in: database)?.specification else {
            throw TransferStoreError.noSuchTransfer(id)
        }
        let redacted = specification.redacted
        guard redacted != specification else { return .none }
        try rewrite(id, try TransferColumns(redacted, classes.saved), in: database)
        return .removedSecrets
    }

    /// Returns whether redacting the transfer would change nothing, judged by its columns alone. Most transfers have
    /// no secrets.
    private func holdsNoSecret(_ id: Int64, in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT url FROM task WHERE id = ? AND specification = '{}'")
        guard let url = try String.fetchOne(statement, arguments: [id]) else { return false }
        return RedactedURL.text(of: url) == url
    }
}
