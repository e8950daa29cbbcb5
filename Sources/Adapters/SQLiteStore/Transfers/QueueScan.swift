// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import GRDBSQLite
internal import TransferModel
internal import TransferScheduling

/// Reads the scheduling values of queued transfers, without their texts.
///
/// The query's condition calls a Swift function with each row's columns, and the function collects the row. Only rows
/// that the function declines reach the statement as results. Stepping through a million rows, with two calls per
/// column, takes longer than the rest of the read.
///
/// Used on the connection's queue only. Must be released before the connection is closed.
final class QueueScan {
    private let statement: RawStatement
    private let collector: UnsafeMutablePointer<Collector>

    init(_ database: Database) throws {
        let collector = UnsafeMutablePointer<Collector>.allocate(capacity: 1)
        collector.initialize(to: Collector())
        // Freed by SQLite: when the connection closes, or immediately if the call fails.
        let code = sqlite3_create_function_v2(
            database.sqliteConnection, "transfer_is_left", 8, SQLITE_UTF8 | SQLITE_DIRECTONLY, collector,
            { context, _, values in
                guard let values, let data = sqlite3_user_data(context) else { return }
                let isCollected = data.assumingMemoryBound(to: Collector.self).pointee.collect(values)
                sqlite3_result_int(context, isCollected ? 0 : 1)
            }, nil, nil,
            { data in
                guard let collector = data?.assumingMemoryBound(to: Collector.self) else { return }
                collector.deinitialize(count: 1)
                collector.deallocate()
            })
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        self.collector = collector
        let columns = "task, class, submitted, deadline, not_before, expected, sending, expires"
        statement = try RawStatement(
            "SELECT \(columns) FROM queue WHERE task > ? AND transfer_is_left(\(columns)) ORDER BY task", on: database)
    }

    /// Returns at most `limit` transfers with IDs greater than `number`, in order.
    ///
    /// - Parameter traits: Returns the traits of a class. The second argument is the ID of a transfer of that class,
    ///   for error messages.
    func read(
        after number: Int64, limit: Int, traits: (Int64, Int64) throws -> TransferTraits
    ) throws -> RecoveredTransfers {
        collector.pointee = Collector(limit: limit)
        // Releases the collector's reference, so that the caller owns the returned memory alone.
        defer { collector.pointee = Collector() }
        var patterns: [Int64: Int32] = [:]
        statement.bind(1, number)
        defer { statement.reset() }
        while try statement.step(), collector.pointee.chunk.rows.count < limit {
            let (id, shared) = (statement.integer(0), statement.integer(1))
            let pattern = try patterns[shared] ?? collector.pointee.chunk.addPattern(traits(shared, id))
            patterns[shared] = pattern
            collector.pointee.remember(shared, pattern)
            collector.pointee.chunk.append(
                RecoveredTransfers.Row(
                    id: TransferID(id), pattern: pattern,
                    submitted: WallTime(nanosecondsSinceEpoch: statement.integer(2)), deadline: statement.date(3),
                    notBefore: statement.date(4), expected: statement.optionalInteger(5),
                    sending: statement.optionalInteger(6), expires: statement.date(7)))
        }
        return collector.pointee.chunk
    }
}

/// The collected rows, and the classes of these rows.
private struct Collector {
    var chunk: RecoveredTransfers
    private let limit: Int
    /// A direct-mapped cache of the last classes, indexed by their low bits. A dictionary lookup per row would take
    /// half as long as reading the row.
    private var recentClasses: [(shared: Int64, pattern: Int32)]
    private static let mask = 1023

    /// A collector that accepts no row.
    init() {
        chunk = RecoveredTransfers()
        limit = 0
        recentClasses = []
    }

    init(limit: Int) {
        chunk = RecoveredTransfers(minimumCapacity: limit)
        self.limit = limit
        recentClasses = Array(repeating: (.min, 0), count: Self.mask + 1)
    }

    mutating func remember(_ shared: Int64, _ pattern: Int32) {
        recentClasses[Int(shared) & Self.mask] = (shared, pattern)
    }

    /// Collects a row. Returns `false` if the limit is reached or the row's class is not in the cache.
    mutating func collect(_ values: UnsafeMutablePointer<OpaquePointer?>) -> Bool {
        guard chunk.rows.count < limit else { return false }
        func integer(_ column: Int) -> Int64? {
            sqlite3_value_type(values[column]) == SQLITE_NULL ? nil : sqlite3_value_int64(values[column])
        }
        func date(_ column: Int) -> WallTime? { integer(column).map { WallTime(nanosecondsSinceEpoch: $0) } }
        let shared = sqlite3_value_int64(values[1])
        let known = recentClasses[Int(shared) & Self.mask]
        guard known.shared == shared else { return false }
        chunk.append(
            RecoveredTransfers.Row(
                id: TransferID(sqlite3_value_int64(values[0])), pattern: known.pattern,
                submitted: WallTime(nanosecondsSinceEpoch: sqlite3_value_int64(values[2])), deadline: date(3),
                notBefore: date(4), expected: integer(5), sending: integer(6), expires: date(7)))
        return true
    }
}

extension RawStatement {
    fileprivate func date(_ column: Int32) -> WallTime? {
        optionalInteger(column).map { WallTime(nanosecondsSinceEpoch: $0) }
    }
}
