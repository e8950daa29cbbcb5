// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// Reads for recovery: the numbers that scheduling needs, and the additional state of the few transfers that have any.
extension TransferRows {
    /// Returns at most `limit` unfinished transfers with IDs greater than `number`, read in one snapshot.
    func chunk(after number: Int64, limit: Int, in database: Database) throws -> RecoveredTransfers {
        let statements = try prepared()
        try statements.beginReading.run()
        defer { if database.isInsideTransaction { try? statements.commit.run() } }
        var chunk = try statements.queueScan.read(after: number, limit: limit) { shared, id in
            try classes.traits(shared, of: id, in: database)
        }
        guard let first = chunk.rows.first?.id, let end = chunk.rows.last?.id else { return chunk }
        for (id, state) in try events.states(from: first.rawValue, through: end.rawValue, in: database) {
            chunk.setState(state.recovered, of: TransferID(id))
        }
        return chunk
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
