// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine

/// The table `event`, and the table `progress` into which the events are folded.
final class EventRows: @unchecked Sendable {
    // Guard: used on the connection's serial queue only.
    /// The number of events above which the next transaction folds them, even if requests are waiting.
    static let maximumUnfolded = 4096

    /// The number of events since the last fold.
    private(set) var unfolded = 0

    /// Folds the events that an earlier run left.
    func prepare(_ database: Database) throws {
        unfolded = try Int.fetchOne(database, sql: "SELECT count(*) FROM event") ?? 0
        guard unfolded > 0 else { return }
        try database.inTransaction(.immediate) {
            try fold(database)
            return .commit
        }
    }

    /// Appends an event. Throws `noSuchTransfer` if the transfer is not in the queue.
    func append(_ kind: EventKind, _ value: String?, of id: Int64, by statements: Statements) throws {
        guard try statements.appendEvent(id, kind.rawValue, value) else { throw TransferStoreError.noSuchTransfer(id) }
        unfolded += 1
    }

    /// Folds the latest event of each kind into `progress`, and deletes the events.
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

    /// Folds the events if their number exceeds the maximum.
    func foldIfMany(_ database: Database) throws { if unfolded > Self.maximumUnfolded { try fold(database) } }

    /// Returns the states of the transfers with IDs in a range. Transfers in the initial state, which are most, are
    /// left out.
    func states(from first: Int64, through end: Int64, in database: Database) throws -> [Int64: TransferState] {
        var values: [Int64: [String?]] = [:]
        let kinds = EventKind.allCases.map { "CAST(\($0.column) AS TEXT)" }.joined(separator: ", ")
        let progress = try database.cachedStatement(
            sql: "SELECT task, \(kinds) FROM progress WHERE task BETWEEN ? AND ?")
        let rows = try Row.fetchCursor(progress, arguments: [first, end])
        while let row = try rows.next() {
            values[row[0]] = EventKind.allCases.indices.map { index in
                // SQLite casts the numeric column, `is_suspended`, to text.
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

/// The kinds of events. The raw values are stored in the database.
enum EventKind: Int64, CaseIterable, Sendable {
    case resume = 1
    case retry
    case suspended
    case hold
    case relaunchDelay

    /// The zero-based index of this kind.
    var index: Int { Int(rawValue) - 1 }

    /// The column of `progress` into which events of this kind are folded.
    var column: String {
        switch self {
        case .resume: "resume"
        case .retry: "retry"
        case .suspended: "is_suspended"
        case .hold: "hold"
        case .relaunchDelay: "relaunch_hold"
        }
    }
}
