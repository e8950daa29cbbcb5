// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// Reads of whole transfers.
extension TransferRows {
    /// Returns the transfers with these IDs, finished or not, in the order of `numbers`. Unknown IDs are skipped.
    func transfers(_ numbers: [Int64], in database: Database) throws -> [StoredTransfer] {
        try numbers.compactMap { number in try transfer(number, in: database) }
    }

    /// Returns one transfer, finished or not; `nil` if the ID is unknown.
    func transfer(_ number: Int64, in database: Database) throws -> StoredTransfer? {
        let statements = try prepared()
        for statement in [statements.open, statements.ended] {
            statement.bind(1, number)
            defer { statement.reset() }
            if try statement.step() { return try stored(statement, statements.events, in: database) }
        }
        return nil
    }

    /// Returns at most `limit` unfinished transfers with IDs greater than `number`, in order.
    func unfinished(after number: Int64, limit: Int, in database: Database) throws -> [StoredTransfer] {
        let statements = try prepared()
        statements.chunk.bind(1, number)
        statements.chunk.bind(2, Int64(limit))
        defer { statements.chunk.reset() }
        var all: [StoredTransfer] = []
        while try statements.chunk.step() {
            all.append(try stored(statements.chunk, statements.events, in: database))
        }
        return all
    }

    /// Returns at most `limit` finished transfers that are not cleared, in descending order of their IDs.
    func ended(limit: Int, in database: Database) throws -> [StoredTransfer] {
        let numbers = try Int64.fetchAll(
            database,
            sql: """
                SELECT task FROM ended
                WHERE NOT EXISTS (SELECT 1 FROM moment WHERE moment.task = ended.task AND kind = ?)
                ORDER BY task DESC LIMIT ?
                """, arguments: [HistoryRows.cleared, max(0, limit)])
        return try transfers(numbers, in: database)
    }

    /// Returns the newest transfer for each of `keys`. Keys without a transfer are left out.
    func latest(forKeys keys: [String], in database: Database) throws -> [String: StoredTransfer] {
        let sql = """
            SELECT DISTINCT (SELECT max(id) FROM task WHERE task.key = wanted.value) AS newest
            FROM json_each(?) AS wanted WHERE newest IS NOT NULL
            """
        let numbers = try Int64.fetchAll(database, sql: sql, arguments: [try JSONText.encode(keys)])
        var latest: [String: StoredTransfer] = [:]
        for transfer in try transfers(numbers, in: database) {
            if let key = transfer.key { latest[key] = transfer }
        }
        return latest
    }

    /// Returns the newest transfer whose key begins with `prefix`.
    func latest(forKeyPrefix prefix: String, in database: Database) throws -> StoredTransfer? {
        // Keys with a prefix are a range of the index of keys.
        let sql = "SELECT max(id) FROM task WHERE key >= ? AND key < ? || char(0x10FFFF)"
        let number = try Int64.fetchOne(database, sql: sql, arguments: [prefix, prefix])
        return try transfers(number.map { [$0] } ?? [], in: database).first
    }

    /// Returns the persisted statistics; `nil` before any were saved.
    func statistics(in database: Database) throws -> PersistedStatistics? {
        guard let text = try String.fetchOne(database, sql: "SELECT value FROM learned") else { return nil }
        do {
            return try JSONText.decode(PersistedStatistics.self, from: text)
        } catch {
            throw TransferStoreError(
                code: .corrupt,
                message:
                    "The statistics of this machine cannot be read (\(error)). The next saved statistics replace them.")
        }
    }

    private func stored(
        _ row: RawStatement, _ events: RawStatement, in database: Database
    ) throws -> StoredTransfer {
        let id = row.integer(0)
        guard let specification = row.text(2) else {
            throw TransferStoreError.unreadable("specification", of: id, "the value is missing")
        }
        var values = (15...19).map { row.text($0) }
        if row.text(14) == nil {
            events.bind(1, id)
            while try events.step() {
                let kind = Int(events.integer(0))
                guard values.indices.contains(kind - 1) else { continue }
                values[kind - 1] = events.text(1)
            }
        }
        let state = try TransferState(values, of: id)
        return StoredTransfer(
            id: TransferID(id), specification: try self.specification(row, specification, in: database),
            resume: state.resume, retry: state.retry, isSuspended: state.isSuspended, hold: state.hold,
            relaunchDelay: state.relaunchDelay,
            ending: try row.text(14).map { try JSONText.decode(TransferEnding.self, from: $0, "ending", of: id) },
            key: row.text(1))
    }

    private func specification(
        _ row: RawStatement, _ text: String, in database: Database
    ) throws -> TransferSpecification {
        let id = row.integer(0)
        guard let url = row.text(3) else {
            // An earlier version stored the whole specification as JSON.
            return try JSONText.decode(TransferSpecification.self, from: text, "specification", of: id)
        }
        guard let collision = row.text(6).flatMap(Destination.Collision.init) else {
            throw TransferStoreError.unreadable(
                "specification", of: id, "the rule for an existing file is missing or unknown")
        }
        let shared = try classes.traits(row.integer(7), of: id, in: database)
        do {
            return try TransferColumns.specification(
                url: url,
                destination: Destination(directory: row.text(4) ?? "", name: row.text(5), collision: collision),
                rest: text, traits: TraitNumbers(row, from: 8).joined(with: shared))
        } catch {
            throw TransferStoreError.unreadable("specification", of: id, "the value is not a TransferSpecification")
        }
    }
}

extension TraitNumbers {
    /// Reads six numbers, starting at a column.
    fileprivate init(_ row: RawStatement, from column: Int32) {
        self.init(
            submitted: row.integer(column), deadline: row.optionalInteger(column + 1),
            notBefore: row.optionalInteger(column + 2), expected: row.optionalInteger(column + 3),
            sending: row.optionalInteger(column + 4), expires: row.optionalInteger(column + 5))
    }
}
