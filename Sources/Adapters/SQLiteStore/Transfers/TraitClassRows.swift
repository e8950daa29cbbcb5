// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Synchronization
internal import TransferEngine
internal import TransferModel

/// The table `class`: sets of traits that thousands of transfers share.
final class TraitClassRows: @unchecked Sendable {
    // Guard: used on the connection's serial queue only, except `saved`, which has a lock.
    /// A cache of the numbers of saved classes.
    let saved = TraitClassCache()
    /// The classes that the current transaction has read or inserted.
    private var new: [TransferTraits: Int64] = [:]
    /// The classes used since `beginWatching()`; `nil` while use is not being watched.
    private var used: Set<Int64>?
    /// The traits of removed classes. Changes that were prepared before the removal may still refer to these classes.
    private var removed: [Int64: String] = [:]
    /// A cache of the traits of classes that were read, at most 10,000.
    private var traits: [Int64: TransferTraits] = [:]

    // MARK: Transactions

    /// Adds the transaction's classes to `saved`. Call after the transaction is durable.
    func commitNew() {
        guard !new.isEmpty else { return }
        saved.insert(new)
        new = [:]
    }

    /// Discards the new classes of a transaction or savepoint that was rolled back.
    func discardNew() { new = [:] }

    // MARK: Reading and adding

    /// Returns the traits of the class of the transfer `id`.
    func traits(_ number: Int64, of id: Int64, in database: Database) throws -> TransferTraits {
        if let known = traits[number] { return known }
        let statement = try database.cachedStatement(sql: "SELECT traits FROM class WHERE number = ?")
        guard let text = try String.fetchOne(statement, arguments: [number]) else {
            throw TransferStoreError.unreadable("class", of: id, "class \(number) does not exist")
        }
        let decoded = try JSONText.decode(TransferTraits.self, from: text, "class", of: id)
        if traits.count >= 10_000 { traits = [:] }
        traits[number] = decoded
        return decoded
    }

    /// Returns the number of a class, inserting the class if it is new.
    func number(of shared: TransferColumns.Shared, in database: Database) throws -> Int64 {
        switch shared {
        case .numbered(let number): try revived(number, in: database)
        case .traits(let traits): try revived(try number(of: traits, in: database), in: database)
        }
    }

    private func number(of shared: TransferTraits, in database: Database) throws -> Int64 {
        if let number = saved.number(of: shared) ?? new[shared] { return number }
        let text = try JSONText.encode(shared)
        try database.run("INSERT INTO class (traits) VALUES (?) ON CONFLICT DO NOTHING", [text])
        let number = try number(ofText: text, in: database)
        new[shared] = number
        return number
    }

    private func number(ofText text: String, in database: Database) throws -> Int64 {
        let statement = try database.cachedStatement(sql: "SELECT number FROM class WHERE traits = ?")
        guard let number = try Int64.fetchOne(statement, arguments: [text]) else {
            throw DatabaseError(resultCode: .SQLITE_INTERNAL)
        }
        return number
    }

    // MARK: Removing

    /// Starts recording the classes that are used from now on.
    func beginWatching() { used = [] }

    /// Removes the classes in `numbers` that have not been used since `beginWatching()`.
    ///
    /// The row with the largest number stays, without its traits, so that no number is assigned twice.
    func remove(_ numbers: [Int64], in database: Database) throws {
        let used = used ?? []
        self.used = nil
        let largest = try Int64.fetchOne(database, sql: "SELECT max(number) FROM class")
        for number in numbers where !used.contains(number) {
            let text = try String.fetchOne(
                database, sql: "SELECT traits FROM class WHERE number = ?", arguments: [number])
            guard let text, text != Self.placeholder(number) else { continue }
            removed[number] = text
            traits[number] = nil
            if number == largest {
                try database.run("UPDATE class SET traits = ? WHERE number = ?", [Self.placeholder(number), number])
            } else {
                try database.run("DELETE FROM class WHERE number = ?", [number])
            }
        }
    }

    /// Returns the current number of a class, inserting the class again if it was removed.
    private func revived(_ number: Int64, in database: Database) throws -> Int64 {
        used?.insert(number)
        guard let text = removed[number] else { return number }
        try database.run(
            "UPDATE OR IGNORE class SET traits = ? WHERE number = ? AND traits = ?",
            [text, number, Self.placeholder(number)])
        try database.run("INSERT INTO class (number, traits) VALUES (?, ?) ON CONFLICT DO NOTHING", [number, text])
        let saved = try self.number(ofText: text, in: database)
        used?.insert(saved)
        return saved
    }

    private static func placeholder(_ number: Int64) -> String { "{\"unused\":\(number)}" }
}

extension Database {
    /// Runs a statement that GRDB caches.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

/// A cache of the numbers of saved classes of traits, used while a change is prepared outside the connection's queue.
///
/// A number stays valid as long as the database is open, even if the row of the class was removed in the meantime.
final class TraitClassCache: Sendable {
    /// A dictionary key that hashes only the most selective traits. Hashing all traits costs more than the rest of the
    /// lookup.
    private struct Key: Hashable {
        var traits: TransferTraits

        func hash(into hasher: inout Hasher) {
            hasher.combine(traits.host)
            hasher.combine(traits.app)
            hasher.combine(traits.priority)
        }
    }

    /// The maximum number of cached classes. If more would be cached, the cache is cleared and filled again.
    private static let maximumCount = 10_000

    private let numbers = Mutex<[Key: Int64]>([:])

    /// Returns the number of a class; `nil` if the cache does not contain the class.
    func number(of shared: TransferTraits) -> Int64? { numbers.withLock { $0[Key(traits: shared)] } }

    /// Adds classes that are durably saved.
    func insert(_ saved: [TransferTraits: Int64]) {
        numbers.withLock { numbers in
            if numbers.count + saved.count > Self.maximumCount { numbers = [:] }
            for (traits, number) in saved { numbers[Key(traits: traits)] = number }
        }
    }
}
