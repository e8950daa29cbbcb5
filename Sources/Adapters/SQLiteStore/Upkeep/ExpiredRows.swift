// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferModel

/// Deletes finished transfers and history beyond the retention's age and count. Unfinished transfers stay regardless
/// of age.
struct ExpiredRows: Sendable {
    private let retention: SQLiteStoreConfiguration.Retention

    init(_ retention: SQLiteStoreConfiguration.Retention) { self.retention = retention }

    private func oldest(at now: WallTime) -> Int64 {
        now.advanced(by: .zero - retention.age).nanosecondsSinceEpoch
    }

    /// Deletes a limited number of rows per rule, and returns the number of deleted transfers and events.
    func delete(at now: WallTime, atMost limit: Int = .max, in database: Database) throws -> Int {
        let oldest = oldest(at: now)
        var count = 0
        try database.execute(
            sql: """
                DELETE FROM task WHERE id IN (SELECT task FROM ended WHERE time < ?1 ORDER BY task LIMIT ?2)
                """, arguments: [oldest, limit])
        count += database.changesCount
        try database.execute(
            sql: """
                DELETE FROM task WHERE id IN (
                    SELECT task FROM ended
                    WHERE task <= (SELECT task FROM ended ORDER BY task DESC LIMIT 1 OFFSET ?1) ORDER BY task LIMIT ?2)
                """, arguments: [retention.count, limit])
        count += database.changesCount
        try database.execute(
            sql: """
                DELETE FROM moment WHERE number IN (
                    SELECT number FROM moment WHERE time < ?1 AND task NOT IN (SELECT task FROM queue)
                    ORDER BY time LIMIT ?2)
                """, arguments: [oldest, limit])
        count += database.changesCount
        // The last row before the limit stays, because its conditions were in force at the limit.
        try database.execute(
            sql: """
                DELETE FROM condition WHERE number < (SELECT max(number) FROM condition WHERE time < ?)
                """, arguments: [oldest])
        return count
    }

    /// Deletes all expired rows if there are any. For programs that never run long enough for upkeep.
    func deleteIfMany(in database: Database) throws {
        let now = WallTime.now
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM ended") ?? 0
        let first = try Int64.fetchOne(database, sql: "SELECT min(time) FROM ended")
        guard count > retention.count || first ?? .max < oldest(at: now) else { return }
        try database.inTransaction(.immediate) {
            _ = try delete(at: now, in: database)
            return .commit
        }
    }
}
