// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// Reading what decides: numbers only, and what few transfers have beside them.
extension TransferRows {
    /// The unfinished transfers after a number, so many at most; all as of one moment.
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
}
