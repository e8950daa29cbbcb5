// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import GRDBSQLite
internal import TransferModel
internal import TransferScheduling

/// Reads what decides of the transfers in the queue, without their texts.
///
/// SQLite asks a function of ours about each row, as part of the condition, and that takes the row over: only those that
/// it leaves come out as rows. To take a million of them out with a call for each row and two for each column takes
/// longer than all the rest of the reading.
///
/// Used on the connection's queue only; goes before the connection is closed.
final class QueueScan {
    private let statement: RawStatement
    private let collector: UnsafeMutablePointer<Collector>

    init(_ database: Database) throws {
        let collector = UnsafeMutablePointer<Collector>.allocate(capacity: 1)
        collector.initialize(to: Collector())
        // Freed by SQLite: with the connection, or at once where it fails.
        let code = sqlite3_create_function_v2(
            database.sqliteConnection, "transfer_is_left", 8, SQLITE_UTF8 | SQLITE_DIRECTONLY, collector,
            { context, _, values in
                guard let values, let data = sqlite3_user_data(context) else { return }
                let isTaken = data.assumingMemoryBound(to: Collector.self).pointee.take(values)
                sqlite3_result_int(context, isTaken ? 0 : 1)
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

    /// Those after a number, so many at most, in their order.
    ///
    /// - Parameter traits: those of a class, of which the transfer with the second number is one.
    func read(
        after number: Int64, limit: Int, traits: (Int64, Int64) throws -> TransferTraits
    ) throws -> RecoveredTransfers {
        collector.pointee = Collector(limit: limit)
        // Its memory is the caller's then.
        defer { collector.pointee = Collector() }
        var patterns: [Int64: Int32] = [:]
        statement.bind(1, number)
        defer { statement.reset() }
        while try statement.step(), collector.pointee.stretch.rows.count < limit {
            let (id, shared) = (statement.integer(0), statement.integer(1))
            let pattern = try patterns[shared] ?? collector.pointee.stretch.addPattern(traits(shared, id))
            patterns[shared] = pattern
            collector.pointee.note(shared, pattern)
            collector.pointee.stretch.append(
                RecoveredTransfers.Row(
                    id: TransferID(id), pattern: pattern,
                    submitted: WallTime(nanosecondsSinceEpoch: statement.integer(2)), deadline: statement.date(3),
                    notBefore: statement.date(4), expected: statement.optionalInteger(5),
                    sending: statement.optionalInteger(6), expires: statement.date(7)))
        }
        return collector.pointee.stretch
    }
}

/// What is read, and the classes that it was met in.
private struct Collector {
    var stretch: RecoveredTransfers
    private let limit: Int
    /// The classes met last, by their last digits: to ask a dictionary for each row takes as long as to read half of it.
    private var met: [(shared: Int64, pattern: Int32)]
    private static let digits = 1023

    /// One that takes no row.
    init() {
        stretch = RecoveredTransfers()
        limit = 0
        met = []
    }

    init(limit: Int) {
        stretch = RecoveredTransfers(minimumCapacity: limit)
        self.limit = limit
        met = Array(repeating: (.min, 0), count: Self.digits + 1)
    }

    mutating func note(_ shared: Int64, _ pattern: Int32) {
        met[Int(shared) & Self.digits] = (shared, pattern)
    }

    /// Takes a row over; false where it is one too many, or of a class that is not known.
    mutating func take(_ values: UnsafeMutablePointer<OpaquePointer?>) -> Bool {
        guard stretch.rows.count < limit else { return false }
        func integer(_ column: Int) -> Int64? {
            sqlite3_value_type(values[column]) == SQLITE_NULL ? nil : sqlite3_value_int64(values[column])
        }
        func date(_ column: Int) -> WallTime? { integer(column).map { WallTime(nanosecondsSinceEpoch: $0) } }
        let shared = sqlite3_value_int64(values[1])
        let known = met[Int(shared) & Self.digits]
        guard known.shared == shared else { return false }
        stretch.append(
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
