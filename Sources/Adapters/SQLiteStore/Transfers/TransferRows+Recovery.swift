// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// Reads for recovery: the numbers that scheduling needs, and the additional state of the few transfers that have any.
extension TransferRows {
    /// Returns at most `limit` unfinished transfers with numbers greater than `number`, read in one snapshot.
    func stretch(after number: Int64, limit: Int, in database: Database) throws -> RecoveredTransfers {
        let statements = try prepared()
        try statements.beginReading.run()
        defer { if database.isInsideTransaction { try? statements.commit.run() } }
        var stretch = try statements.queueScan.read(after: number, limit: limit) { shared, id in
            try classes.traits(shared, of: id, in: database)
        }
        guard let first = stretch.rows.first?.id, let end = stretch.rows.last?.id else { return stretch }
        for (id, state) in try events.states(from: first.rawValue, through: end.rawValue, in: database) {
            stretch.setState(state.recovered, of: TransferID(id))
        }
        return stretch
    }

    /// Returns the unfinished transfers with these keys. Intended for the few transfers of one command.
    func recover(keys: [String], in database: Database) throws -> RecoveredTransfers {
        let numbers = try Int64.fetchAll(
            database,
            sql: """
                SELECT task.id FROM task JOIN queue ON queue.task = task.id
                WHERE task.key IN (SELECT value FROM json_each(?)) ORDER BY task.id
                """, arguments: [try JSONText.encode(keys)])
        return RecoveredTransfers(try transfers(numbers, in: database).map { RecoveredTransfer($0) })
    }
}
