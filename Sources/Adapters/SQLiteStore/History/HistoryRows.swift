// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel

/// Reads and writes the history in the tables of `Schema`.
enum HistoryRows {
    /// A change of the machine's conditions.
    struct Row: Sendable {
        enum Kind: String {
            /// Watching began. The conditions before this row are unknown.
            case begun
            /// A condition changed.
            case changed
            /// Watching ended.
            case ended
        }

        var time: WallTime
        var kind: Kind
        var values: StoredConditions
    }

    /// The kind of the moment that hides an ended transfer from lists. The history does not show it.
    static let cleared = "cleared"

    static func insert(_ event: TransferHistoryEvent, into database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO moment (task, time, kind, note) VALUES (?, ?, ?, ?)").execute(
            arguments: [event.id.rawValue, event.time.nanosecondsSinceEpoch, event.kind.rawValue, event.message])
    }

    static func insert(_ row: Row, into database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO condition (time, what, power, level, network, link, metered, is_suspended)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            row.time.nanosecondsSinceEpoch, row.kind.rawValue, row.values.power.rawValue, row.values.batteryLevel,
            row.values.network.rawValue, row.values.linkKind.rawValue, row.values.metered.rawValue,
            row.values.isSuspended,
        ])
    }

    /// Returns the next transfers with an event since `start`, by ID, and the ID to continue after.
    ///
    /// - Parameter app: The app whose transfers are returned; `nil` returns all. If an app is given, the page may be
    ///   empty.
    /// - Returns: The page, and `nil` as the ID on the last page.
    static func transfers(
        since start: WallTime, after number: Int64, of app: String?, _ size: History.PageSize, _ rows: TransferRows,
        in database: Database
    ) throws -> (page: [RecordedTransfer], next: Int64?) {
        // Selected by the table's key, so that the cost of a page depends on its contents and not on the length of the
        // history.
        let numbers = try Int64.fetchAll(
            database,
            sql: """
                SELECT id FROM task WHERE id > ?2 AND (
                    EXISTS (SELECT 1 FROM queue WHERE task = id AND submitted >= ?1)
                    OR EXISTS (SELECT 1 FROM ended WHERE task = id AND (submitted >= ?1 OR time >= ?1))
                    OR EXISTS (SELECT 1 FROM moment WHERE task = id AND time >= ?1 AND kind != ?4)
                ) ORDER BY id LIMIT ?3
                """, arguments: [start.nanosecondsSinceEpoch, number, size.transfers, cleared])
        var page: [RecordedTransfer] = []
        var events = 0
        for number in numbers {
            guard let stored = try rows.transfer(number, in: database),
                app.map({ $0 == stored.specification.traits.app }) ?? true
            else { continue }
            let transfer = try recorded(stored, in: database)
            page.append(transfer)
            events += transfer.events.count
            if events >= size.events { return (page, number) }
        }
        return (page, numbers.count < size.transfers ? nil : numbers.last)
    }

    /// Returns a stored transfer with its events, or `nil` if the ID is unknown.
    static func transfer(_ number: Int64, _ rows: TransferRows, in database: Database) throws -> RecordedTransfer? {
        try rows.transfer(number, in: database).map { try recorded($0, in: database) }
    }

    private static func recorded(_ stored: StoredTransfer, in database: Database) throws -> RecordedTransfer {
        // Only the newest events: a transfer that is retried for months has more events than a user reads.
        let select = try database.cachedStatement(
            sql: "SELECT time, kind, note FROM moment WHERE task = ? ORDER BY number DESC LIMIT 1000")
        let happened = try GRDB.Row.fetchAll(select, arguments: [stored.id.rawValue])
        let events = happened.reversed().compactMap { row in
            TransferHistoryEvent.Kind(rawValue: row["kind"]).map { kind in
                TransferHistoryEvent(
                    id: stored.id, time: WallTime(nanosecondsSinceEpoch: row["time"]), kind: kind, message: row["note"])
            }
        }
        let submitted = TransferHistoryEvent(
            id: stored.id, time: stored.specification.traits.submitted, kind: .submitted)
        return RecordedTransfer(
            id: stored.id, specification: stored.specification, ending: stored.ending, events: [submitted] + events)
    }

    /// Returns the next spans of conditions since `start`, and the number to continue after; `nil` as the number on
    /// the last page.
    ///
    /// A watch that ended without a record (a crash, a power loss) counts as having lasted until the last recorded
    /// event.
    static func spans(
        since start: WallTime, after number: Int64, _ size: History.PageSize, in database: Database
    ) throws -> (page: [ConditionSpan], next: Int64?) {
        // The row in force at `start` is the row before the first later row, even if the clock was set.
        let first =
            try Int64.fetchOne(
                database, sql: "SELECT min(number) - 1 FROM condition WHERE time > ?",
                arguments: [start.nanosecondsSinceEpoch])
            ?? Int64.fetchOne(database, sql: "SELECT max(number) FROM condition")
        guard let first else { return ([], nil) }
        // The row before the page limits the start of the first span; the row after the page ends the last span.
        let begin = max(first, number, 1)
        let limit = size.spans + (number == begin ? 2 : 1)
        let rows = try GRDB.Row.fetchAll(
            database, sql: "SELECT * FROM condition WHERE number >= ? ORDER BY number LIMIT ?",
            arguments: [begin, limit])
        let lastEvent = try database.cachedStatement(sql: "SELECT max(time) FROM moment WHERE time < ?")
        var spans: [(number: Int64, span: ConditionSpan)] = []
        for (row, next) in zip(rows, rows.dropFirst().map(Optional.some) + [nil]) {
            guard Row.Kind(rawValue: row["what"]) != .ended, let values = values(row) else { continue }
            // The wall clock may have been set back: a span never begins before the end of the preceding span.
            let start = max(row["time"] as Int64, spans.last?.span.end?.nanosecondsSinceEpoch ?? .min)
            var end = next.map { $0["time"] as Int64 }
            if let next, Row.Kind(rawValue: next["what"]) == .begun {
                let lastKnown = try Int64.fetchOne(lastEvent, arguments: [next["time"] as Int64]) ?? start
                end = lastKnown
            }
            let span = ConditionSpan(
                start: WallTime(nanosecondsSinceEpoch: start),
                end: end.map { WallTime(nanosecondsSinceEpoch: max(start, $0)) }, values: values)
            spans.append((row["number"], span))
        }
        let isLast = rows.count < limit
        let last = isLast ? Int64.max : rows[rows.count - 2]["number"]
        let page = spans.filter { $0.number > number && $0.number <= last }.map(\.span)
        return (page.filter { $0.end.map { $0 > start } ?? true }, isLast ? nil : last)
    }

    /// Returns the conditions of a row; `nil` if the row contains a value of a later version.
    private static func values(_ row: GRDB.Row) -> StoredConditions? {
        guard let power = PowerSource(rawValue: row["power"]), let network = Reachability(rawValue: row["network"]),
            let link = LinkKind(rawValue: row["link"]), let metered = Metered(rawValue: row["metered"])
        else { return nil }
        return StoredConditions(
            power: power, batteryLevel: row["level"], network: network, linkKind: link, metered: metered,
            isSuspended: row["is_suspended"])
    }
}
