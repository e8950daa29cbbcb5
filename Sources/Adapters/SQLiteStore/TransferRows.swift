// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel
internal import TransferScheduling

/// How transfers lie in the tables of `Schema`, on the one connection that reads and writes them.
///
/// What is done for each of thousands goes by prepared statements of SQLite's own; the rest by GRDB.
final class TransferRows: @unchecked Sendable {
    // Guard: everything here but `classes`, which has a lock, is used on the connection's serial queue only.
    private var statements: Statements?
    /// The numbers of classes that are known to be saved.
    let classes = ClassNumbers()
    /// Those that this transaction has met.
    private var newClasses: [TransferTraits: Int64] = [:]
    /// Classes that were used since somebody asked; nil while nobody has.
    var usedClasses: Set<Int64>?
    /// The traits of classes that were removed: changes that were prepared before may still name them.
    var removedClasses: [Int64: String] = [:]
    var traits: [Int64: TransferTraits] = [:]
    /// The last number given; nil outside of a transaction that has asked for it.
    private var last: Int64?
    /// Events since the last fold.
    private(set) var unfolded = 0
    /// More events than this are folded whatever else waits.
    static let mostUnfolded = 4096

    /// What a change did beyond the rows.
    enum Effect {
        /// Nothing.
        case none
        /// It gave a number.
        case gave(TransferID)
        /// Bytes that may be secret are free space now.
        case removedSecrets
    }

    /// Prepares what is used for each of thousands.
    func prepare(_ database: Database) throws {
        statements = try Statements(database)
        unfolded = try Int.fetchOne(database, sql: "SELECT count(*) FROM event") ?? 0
        guard unfolded > 0 else { return }
        try database.inTransaction(.immediate) {
            try fold(database)
            return .commit
        }
    }

    /// Lets go of the connection.
    func end() { statements = nil }

    func prepared() throws -> Statements {
        guard let statements else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        return statements
    }

    // MARK: Transactions

    /// What belongs to a transaction as a whole, before its end.
    func finish(_ database: Database) throws {
        if unfolded > Self.mostUnfolded { try fold(database) }
    }

    /// The transaction is over; another process may give numbers now.
    func forget(isRolledBack: Bool) {
        last = nil
        guard !newClasses.isEmpty else { return }
        if !isRolledBack { classes.insert(newClasses) }
        newClasses = [:]
    }

    /// A savepoint was taken back: classes met in it may be gone.
    func forgetClasses() { newClasses = [:] }

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
        message: "The table of identifiers has lost its row. Restore the file from a backup or move it away.")

    // MARK: Changes

    /// Writes one change. Throws `noSuchTransfer` where there is no unfinished transfer of that number.
    func apply(_ change: PreparedChange, to database: Database) throws -> Effect {
        switch change {
        case .submitted(let columns, let key, let resume):
            let id = try next()
            try insert(id, key, columns, into: database)
            if let resume { try append(.resume, resume, of: id, in: database) }
            return .gave(TransferID(id))
        case .inserted(let transfer, let columns):
            try insert(transfer, columns, into: database)
        case .respecified(let id, let columns):
            try respecify(id, columns, in: database)
            // The earlier one may have held other secrets.
            return .removedSecrets
        case .event(let id, let kind, let value):
            try append(kind, value, of: id.rawValue, in: database)
        case .learned(let value):
            try run("INSERT OR REPLACE INTO learned (row, value) VALUES (1, ?)", [value], database)
        case .ended(let id, let ending):
            return try end(id.rawValue, ending, in: database)
        }
        return .none
    }

    private func insert(_ id: Int64, _ key: String?, _ columns: TransferColumns, into database: Database) throws {
        let statements = try prepared()
        let shared = try number(of: columns.shared, in: database)
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
            (.relaunchHold, try transfer.relaunchHold.map(JSONText.encode)),
        ]
        for (kind, value) in values where value != nil { try append(kind, value, of: id, in: database) }
    }

    private func append(_ kind: EventKind, _ value: String?, of id: Int64, in database: Database) throws {
        guard try prepared().appendEvent(id, kind.rawValue, value) else { throw Self.noSuchTransfer(id) }
        unfolded += 1
    }

    private func respecify(_ id: TransferID, _ columns: TransferColumns, in database: Database) throws {
        let numbers = columns.numbers
        try run(
            """
            UPDATE queue SET class = ?, submitted = ?, deadline = ?, not_before = ?, expected = ?, sending = ?,
                expires = ?
            WHERE task = ?
            """,
            [
                try number(of: columns.shared, in: database), numbers.submitted, numbers.deadline, numbers.notBefore,
                numbers.expected, numbers.sending, numbers.expires, id.rawValue,
            ], database)
        guard database.changesCount == 1 else { throw Self.noSuchTransfer(id.rawValue) }
        try rewrite(id.rawValue, columns, in: database)
    }

    private func rewrite(_ id: Int64, _ columns: TransferColumns, in database: Database) throws {
        try run(
            "UPDATE task SET specification = ?, url = ?, directory = ?, name = ?, collision = ? WHERE id = ?",
            [
                columns.rest, columns.url, columns.destination.directory, columns.destination.name,
                columns.destination.collision.rawValue, id,
            ], database)
    }

    private func end(_ id: Int64, _ ending: String, in database: Database) throws -> Effect {
        try run(
            """
            INSERT INTO ended (task, time, ending, class, submitted, deadline, not_before, expected, sending, expires)
                SELECT task, ?, ?, class, submitted, deadline, not_before, expected, sending, expires
                FROM queue WHERE task = ?
            """, [WallTime.now.nanosecondsSinceEpoch, ending, id], database)
        guard database.changesCount == 1 else { throw Self.noSuchTransfer(id) }
        let holdsNoSecret = try holdsNoSecret(id, in: database)
        for sql in [
            "DELETE FROM queue WHERE task = ?", "DELETE FROM progress WHERE task = ?",
            "DELETE FROM event WHERE task = ?",
        ] { try run(sql, [id], database) }
        if holdsNoSecret { return .none }
        guard let specification = try transfer(id, in: database)?.specification else { throw Self.noSuchTransfer(id) }
        let redacted = specification.redacted
        guard redacted != specification else { return .none }
        try rewrite(id, try TransferColumns(redacted, classes), in: database)
        return .removedSecrets
    }

    /// Whether `redacted` would change nothing, told by the columns: most transfers have nothing to hide.
    private func holdsNoSecret(_ id: Int64, in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT url FROM task WHERE id = ? AND specification = '{}'")
        guard let url = try String.fetchOne(statement, arguments: [id]) else { return false }
        return TransferSpecification.redacted(url: url) == url
    }

    /// The number of a class, which is made where it is new.
    private func number(of shared: TransferColumns.Shared, in database: Database) throws -> Int64 {
        switch shared {
        case .numbered(let number): try revived(number, in: database)
        case .traits(let traits): try revived(try number(of: traits, in: database), in: database)
        }
    }

    private func number(of shared: TransferTraits, in database: Database) throws -> Int64 {
        if let number = classes.number(of: shared) ?? newClasses[shared] { return number }
        let text = try JSONText.encode(shared)
        try run("INSERT INTO class (traits) VALUES (?) ON CONFLICT DO NOTHING", [text], database)
        let statement = try database.cachedStatement(sql: "SELECT number FROM class WHERE traits = ?")
        guard let number = try Int64.fetchOne(statement, arguments: [text]) else {
            throw DatabaseError(resultCode: .SQLITE_INTERNAL)
        }
        newClasses[shared] = number
        return number
    }

    func run(_ sql: String, _ arguments: StatementArguments, _ database: Database) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    private static func noSuchTransfer(_ id: Int64) -> TransferStoreError {
        TransferStoreError(
            code: .noSuchTransfer,
            message: "Transfer \(id) does not exist or has ended, so nothing of it can be changed.")
    }

    // MARK: Folding

    /// Makes rows of what happened, and forgets how it came to that.
    func fold(_ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO progress (task, is_suspended) SELECT DISTINCT task, 0 FROM event WHERE true
                    ON CONFLICT DO NOTHING
                """)
        for kind in EventKind.allCases {
            try database.execute(
                sql: """
                    UPDATE progress SET \(kind.column) = (
                        SELECT value FROM event WHERE event.task = progress.task AND kind = \(kind.rawValue)
                        ORDER BY number DESC LIMIT 1)
                    WHERE task IN (SELECT task FROM event WHERE kind = \(kind.rawValue))
                    """)
        }
        try database.execute(
            sql: """
                DELETE FROM progress WHERE task IN (SELECT task FROM event) AND resume IS NULL AND retry IS NULL
                    AND is_suspended = 0 AND hold IS NULL AND relaunch_hold IS NULL;
                DELETE FROM event
                """)
        unfolded = 0
    }
}

/// What an event says. The numbers are in the database.
enum EventKind: Int64, CaseIterable, Sendable {
    case resume = 1
    case retry
    case suspended
    case hold
    case relaunchHold

    /// Where it is folded to.
    var column: String {
        switch self {
        case .resume: "resume"
        case .retry: "retry"
        case .suspended: "is_suspended"
        case .hold: "hold"
        case .relaunchHold: "relaunch_hold"
        }
    }
}
