// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// Reading whole transfers.
extension TransferRows {
    /// Those with these numbers, ended or not, in that order.
    func transfers(_ numbers: [Int64], in database: Database) throws -> [StoredTransfer] {
        try numbers.compactMap { number in try transfer(number, in: database) }
    }

    /// One transfer, ended or not; nil where there is none of that number.
    func transfer(_ number: Int64, in database: Database) throws -> StoredTransfer? {
        let statements = try prepared()
        for statement in [statements.open, statements.ended] {
            statement.bind(1, number)
            defer { statement.reset() }
            if try statement.step() { return try stored(statement, statements.events, in: database) }
        }
        return nil
    }

    /// Those that have not ended, after a number, in their order, so many at most.
    func unfinished(after number: Int64, limit: Int, in database: Database) throws -> [StoredTransfer] {
        let statements = try prepared()
        statements.stretch.bind(1, number)
        statements.stretch.bind(2, Int64(limit))
        defer { statements.stretch.reset() }
        var all: [StoredTransfer] = []
        while try statements.stretch.step() {
            all.append(try stored(statements.stretch, statements.events, in: database))
        }
        return all
    }

    /// The newest that are over, newest first.
    func ended(limit: Int, in database: Database) throws -> [StoredTransfer] {
        let numbers = try Int64.fetchAll(
            database, sql: "SELECT task FROM ended ORDER BY task DESC LIMIT ?", arguments: [max(0, limit)])
        return try transfers(numbers, in: database)
    }

    /// The newest transfer of each of `keys` that there is one of.
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

    /// What was learned; nil before anything was.
    func learned(in database: Database) throws -> Learned? {
        guard let text = try String.fetchOne(database, sql: "SELECT value FROM learned") else { return nil }
        do {
            return try JSONText.decode(Learned.self, from: text)
        } catch {
            throw TransferStoreError(
                code: .corrupt,
                message:
                    "What was learned of this machine cannot be read (\(error)). The next thing learned replaces it.")
        }
    }

    /// The traits of a class.
    func shared(_ number: Int64, of id: Int64, in database: Database) throws -> TransferTraits {
        if let known = traits[number] { return known }
        let statement = try database.cachedStatement(sql: "SELECT traits FROM class WHERE number = ?")
        guard let text = try String.fetchOne(statement, arguments: [number]) else {
            throw Self.unreadable("class", of: id, "there is none of its number, \(number)")
        }
        let decoded = try Self.value(TransferTraits.self, from: text, "class", of: id)
        if traits.count >= 10_000 { traits = [:] }
        traits[number] = decoded
        return decoded
    }

    private func stored(
        _ row: RawStatement, _ events: RawStatement, in database: Database
    ) throws -> StoredTransfer {
        let id = row.integer(0)
        guard let specification = row.text(2) else { throw Self.unreadable("specification", of: id, "it is missing") }
        var values = (15...19).map { row.text($0) }
        if row.text(14) == nil {
            events.bind(1, id)
            while try events.step() {
                let kind = Int(events.integer(0))
                guard values.indices.contains(kind - 1) else { continue }
                values[kind - 1] = events.text(1)
            }
        }
        func decoded<Value: Decodable>(_ type: Value.Type, _ text: String?, _ name: String) throws -> Value? {
            try text.map { try Self.value(type, from: $0, name, of: id) }
        }
        return StoredTransfer(
            id: TransferID(id), specification: try self.specification(row, specification, in: database),
            resume: try decoded(ResumePoint.self, values[0], "resume"),
            retry: try decoded(RetryState.self, values[1], "retry"), isSuspended: values[2] == "1",
            hold: try decoded(TransferHold.self, values[3], "hold"),
            relaunchHold: try decoded(RelaunchLimiter.Hold.self, values[4], "relaunch hold"),
            ending: try decoded(TransferEnding.self, row.text(14), "ending"), key: row.text(1))
    }

    private func specification(
        _ row: RawStatement, _ text: String, in database: Database
    ) throws -> TransferSpecification {
        let id = row.integer(0)
        guard let url = row.text(3) else {
            // An earlier version's: everything is in the text.
            return try Self.value(TransferSpecification.self, from: text, "specification", of: id)
        }
        guard let collision = row.text(6).flatMap(Destination.Collision.init) else {
            throw Self.unreadable("specification", of: id, "it does not say what to do with a file in its place")
        }
        let shared = try shared(row.integer(7), of: id, in: database)
        do {
            return try TransferColumns.specification(
                url: url,
                destination: Destination(directory: row.text(4) ?? "", name: row.text(5), collision: collision),
                rest: text, traits: Self.numbers(row, from: 8).joined(with: shared))
        } catch {
            throw Self.unreadable("specification", of: id, "it is not a TransferSpecification")
        }
    }

    /// Six numbers from a column on.
    static func numbers(_ row: RawStatement, from column: Int32) -> TraitNumbers {
        TraitNumbers(
            submitted: row.integer(column), deadline: row.optionalInteger(column + 1),
            notBefore: row.optionalInteger(column + 2), expected: row.optionalInteger(column + 3),
            sending: row.optionalInteger(column + 4), expires: row.optionalInteger(column + 5))
    }

    static func value<Value: Decodable>(
        _ type: Value.Type, from text: String, _ column: String, of id: Int64
    ) throws -> Value {
        do {
            return try JSONText.decode(type, from: text)
        } catch {
            throw unreadable(column, of: id, "it is not a \(type)")
        }
    }

    /// One bad row fails the whole load: to leave it out would be to lose a transfer silently.
    private static func unreadable(_ column: String, of id: Int64, _ reason: String) -> TransferStoreError {
        TransferStoreError(
            code: .corrupt,
            message: """
                The \(column) of transfer \(id) cannot be read: \(reason). \
                Remove that row (DELETE FROM task WHERE id = \(id)) or move the file away; nothing was changed.
                """)
    }
}
