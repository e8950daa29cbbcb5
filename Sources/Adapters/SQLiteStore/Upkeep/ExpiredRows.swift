// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferModel

/// The ended transfers and the history beyond a retention's age and number. Open transfers stay whatever their age.
struct ExpiredRows: Sendable {
    private let retention: SQLiteStoreConfiguration.Retention

    init(_ retention: SQLiteStoreConfiguration.Retention) { self.retention = retention }

    private func oldest(at now: WallTime) -> Int64 {
        now.advanced(by: .zero - retention.age).nanosecondsSinceEpoch
    }

    /// Removes ended transfers and moments, at most so many of each, and returns how many were removed.
    func forget(at now: WallTime, atMost most: Int = .max, in database: Database) throws -> Int {
        let oldest = oldest(at: now)
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

    /// Removes all of them where there are any: of a program that never runs long enough for upkeep.
    func forgetIfMany(in database: Database) throws {
        let now = WallTime.now
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM ended") ?? 0
        let first = try Int64.fetchOne(database, sql: "SELECT min(time) FROM ended")
        guard count > retention.count || first ?? .max < oldest(at: now) else { return }
        try database.inTransaction(.immediate) {
            _ = try forget(at: now, in: database)
            return .commit
        }
    }
}
