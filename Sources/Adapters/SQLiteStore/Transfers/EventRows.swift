// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine

/// The events of transfers as they lie in the table `event`, and what they are folded to in `progress`.
final class EventRows: @unchecked Sendable {
    // Guard: used on the connection's serial queue only.
    /// More events than this are folded whatever else waits.
    static let mostUnfolded = 4096

    /// Events since the last fold.
    private(set) var unfolded = 0

    /// Folds what an earlier run left.
    func prepare(_ database: Database) throws {
        unfolded = try Int.fetchOne(database, sql: "SELECT count(*) FROM event") ?? 0
        guard unfolded > 0 else { return }
        try database.inTransaction(.immediate) {
            try fold(database)
            return .commit
        }
    }

    /// Adds an event. Throws `noSuchTransfer` where the transfer is not in the queue.
    func append(_ kind: EventKind, _ value: String?, of id: Int64, by statements: Statements) throws {
        guard try statements.appendEvent(id, kind.rawValue, value) else { throw TransferStoreError.noSuchTransfer(id) }
        unfolded += 1
    }

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

    /// Folds where there are many.
    func foldIfMany(_ database: Database) throws { if unfolded > Self.mostUnfolded { try fold(database) } }

    /// The states of those transfers from one number through another of which there is something to say: few.
    func states(from first: Int64, through end: Int64, in database: Database) throws -> [Int64: TransferState] {
        var values: [Int64: [String?]] = [:]
        let kinds = EventKind.allCases.map { "CAST(\($0.column) AS TEXT)" }.joined(separator: ", ")
        let progress = try database.cachedStatement(
            sql: "SELECT task, \(kinds) FROM progress WHERE task BETWEEN ? AND ?")
        let rows = try Row.fetchCursor(progress, arguments: [first, end])
        while let row = try rows.next() {
            values[row[0]] = EventKind.allCases.indices.map { index in
                // SQLite makes text of the one that is a number.
                row[index + 1] as String?
            }
        }
        let happened = try database.cachedStatement(
            sql: "SELECT task, kind, value FROM event WHERE task BETWEEN ? AND ? ORDER BY number")
        let events = try Row.fetchCursor(happened, arguments: [first, end])
        while let row = try events.next() {
            let (id, kind): (Int64, Int) = (row[0], row[1])
            guard EventKind.allCases.indices.contains(kind - 1) else { continue }
            values[id, default: EventKind.allCases.map { _ in nil }][kind - 1] = row[2] as String?
        }
        var states: [Int64: TransferState] = [:]
        for (id, values) in values { states[id] = try TransferState(values, of: id) }
        return states
    }
}
