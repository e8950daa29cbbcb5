// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// Reading what decides: numbers only, and what few transfers have beside them.
extension TransferRows {
    /// Those after a number that have not ended, so many at most; all as of one moment.
    func stretch(after number: Int64, limit: Int, in database: Database) throws -> RecoveredTransfers {
        let statements = try prepared()
        try statements.beginReading.run()
        defer { if database.isInsideTransaction { try? statements.commit.run() } }
        var stretch = try statements.queueScan.read(after: number, limit: limit) { shared, id in
            try self.shared(shared, of: id, in: database)
        }
        guard let first = stretch.rows.first?.id, let end = stretch.rows.last?.id else { return stretch }
        for (id, state) in try states(from: first.rawValue, through: end.rawValue, in: database) {
            stretch.setState(state, of: TransferID(id))
        }
        return stretch
    }

    /// The same of transfers with these keys: those of one command, a few.
    func recover(keys: [String], in database: Database) throws -> RecoveredTransfers {
        let numbers = try Int64.fetchAll(
            database,
            sql: """
                SELECT task.id FROM task JOIN queue ON queue.task = task.id
                WHERE task.key IN (SELECT value FROM json_each(?)) ORDER BY task.id
                """, arguments: [try JSONText.encode(keys)])
        return RecoveredTransfers(try transfers(numbers, in: database).map { RecoveredTransfer($0) })
    }

    /// What few of them have.
    private func states(
        from first: Int64, through end: Int64, in database: Database
    ) throws -> [Int64: RecoveredState] {
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
        var states: [Int64: RecoveredState] = [:]
        for (id, values) in values { states[id] = try Self.state(values, of: id) }
        return states
    }

    /// What texts, in the order of the kinds of events, say.
    private static func state(_ values: [String?], of id: Int64) throws -> RecoveredState {
        func decoded<Value: Decodable>(_ type: Value.Type, _ kind: EventKind) throws -> Value? {
            try values[Int(kind.rawValue) - 1].map { try value(type, from: $0, kind.column, of: id) }
        }
        let resume = try decoded(ResumePoint.self, .resume)
        let hold = try decoded(TransferHold.self, .hold)
        return RecoveredState(
            bytes: resume?.bytes ?? 0, total: resume?.total, retry: try decoded(RetryState.self, .retry),
            isPaused: values[Int(EventKind.suspended.rawValue) - 1] == "1",
            relaunchHold: try decoded(RelaunchLimiter.Hold.self, .relaunchHold),
            held: hold.map { RecoveredHold(by: $0.holder, why: $0.why) })
    }
}
