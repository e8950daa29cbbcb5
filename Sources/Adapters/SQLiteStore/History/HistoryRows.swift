// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel

/// How the past lies in the tables of `Schema`.
enum HistoryRows {
    /// A change of what the machine is like.
    struct Row: Sendable {
        enum What: String {
            /// Somebody began to watch: what lies before is not known.
            case begun
            /// Something is different.
            case changed
            /// Nobody watches any more.
            case ended
        }

        var time: WallTime
        var what: What
        var facts: RecordedFacts
    }

    static func insert(_ moment: TransferMoment, into database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO moment (task, time, kind, note) VALUES (?, ?, ?, ?)").execute(
            arguments: [moment.id.rawValue, moment.time.nanosecondsSinceEpoch, moment.kind.rawValue, moment.note])
    }

    static func insert(_ row: Row, into database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO condition (time, what, power, level, network, link, metered, is_suspended)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            row.time.nanosecondsSinceEpoch, row.what.rawValue, row.facts.power.rawValue, row.facts.batteryLevel,
            row.facts.network.rawValue, row.facts.linkKind.rawValue, row.facts.metered.rawValue, row.facts.isSuspended,
        ])
    }

    /// Every transfer that anything happened to since then, by number.
    static func transfers(
        since start: WallTime, _ rows: TransferRows, in database: Database
    ) throws -> [RecordedTransfer] {
        let numbers = try Int64.fetchAll(
            database,
            sql: """
                SELECT DISTINCT task FROM moment WHERE time >= ?1
                UNION SELECT task FROM queue WHERE submitted >= ?1
                UNION SELECT task FROM ended WHERE submitted >= ?1 OR time >= ?1
                """, arguments: [start.nanosecondsSinceEpoch])
        return try transfers(numbers.sorted(), rows, in: database)
    }

    /// Those with these numbers that are kept, in that order.
    static func transfers(
        _ numbers: [Int64], _ rows: TransferRows, in database: Database
    ) throws -> [RecordedTransfer] {
        let select = try database.cachedStatement(
            sql: "SELECT time, kind, note FROM moment WHERE task = ? ORDER BY number")
        return try rows.transfers(numbers, in: database).map { stored in
            let happened = try GRDB.Row.fetchAll(select, arguments: [stored.id.rawValue])
            let submitted = TransferMoment(
                id: stored.id, time: stored.specification.traits.submitted, kind: .submitted)
            let moments = happened.compactMap { row in
                TransferMoment.Kind(rawValue: row["kind"]).map { kind in
                    TransferMoment(
                        id: stored.id, time: WallTime(nanosecondsSinceEpoch: row["time"]), kind: kind,
                        note: row["note"])
                }
            }
            return RecordedTransfer(
                id: stored.id, specification: stored.specification, ending: stored.ending,
                moments: [submitted] + moments)
        }
    }

    /// What the machine was like since then. A watch that ended without a word (a crash, a power loss) lasted at least
    /// until the last thing that was recorded.
    static func spans(since start: WallTime, in database: Database) throws -> [ConditionSpan] {
        // The row in force at `start` is the one before the first that is later, though the clock may have been set.
        let first = try Int64.fetchOne(
            database, sql: "SELECT min(number) - 1 FROM condition WHERE time > ?",
            arguments: [start.nanosecondsSinceEpoch])
        let rows = try GRDB.Row.fetchAll(
            database,
            sql: """
                SELECT * FROM condition WHERE number >= ifnull(?, (SELECT max(number) FROM condition)) ORDER BY number
                """, arguments: [first])
        let lastMoment = try database.cachedStatement(sql: "SELECT max(time) FROM moment WHERE time < ?")
        var spans: [ConditionSpan] = []
        for (row, next) in zip(rows, rows.dropFirst().map(Optional.some) + [nil]) {
            guard Row.What(rawValue: row["what"]) != .ended, let facts = facts(row) else { continue }
            // The wall clock may have been set back: a span never begins before the one before it has ended.
            let start = max(row["time"] as Int64, spans.last?.end?.nanosecondsSinceEpoch ?? .min)
            var end = next.map { $0["time"] as Int64 }
            if let next, Row.What(rawValue: next["what"]) == .begun {
                let told = try Int64.fetchOne(lastMoment, arguments: [next["time"] as Int64]) ?? start
                end = told
            }
            spans.append(
                ConditionSpan(
                    start: WallTime(nanosecondsSinceEpoch: start),
                    end: end.map { WallTime(nanosecondsSinceEpoch: max(start, $0)) }, facts: facts))
        }
        return spans.filter { $0.end.map { $0 > start } ?? true }
    }

    /// Nil where a later version wrote a word that this one does not know.
    private static func facts(_ row: GRDB.Row) -> RecordedFacts? {
        guard let power = PowerSource(rawValue: row["power"]), let network = Reachability(rawValue: row["network"]),
            let link = LinkKind(rawValue: row["link"]), let metered = Metered(rawValue: row["metered"])
        else { return nil }
        return RecordedFacts(
            power: power, batteryLevel: row["level"], network: network, linkKind: link, metered: metered,
            isSuspended: row["is_suspended"])
    }
}
