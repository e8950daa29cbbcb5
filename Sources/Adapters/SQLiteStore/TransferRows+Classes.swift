// SPDX-License-Identifier: Apache-2.0
internal import GRDB

/// Removing classes of traits, and having them back where a change that was prepared before still names one.
extension TransferRows {
    /// Takes down which classes are used from now on.
    func beginWatchingClasses() { usedClasses = [] }

    /// Removes those of these classes that have not been used since.
    ///
    /// The largest number stays, without its traits, so that no number is given twice.
    func removeClasses(_ numbers: [Int64], in database: Database) throws {
        let used = usedClasses ?? []
        usedClasses = nil
        let largest = try Int64.fetchOne(database, sql: "SELECT max(number) FROM class")
        for number in numbers where !used.contains(number) {
            let text = try String.fetchOne(
                database, sql: "SELECT traits FROM class WHERE number = ?", arguments: [number])
            guard let text, text != Self.placeholder(number) else { continue }
            removedClasses[number] = text
            traits[number] = nil
            if number == largest {
                try run("UPDATE class SET traits = ? WHERE number = ?", [Self.placeholder(number), number], database)
            } else {
                try run("DELETE FROM class WHERE number = ?", [number], database)
            }
        }
    }

    /// The number of a class as it is now, which is saved again where it was removed.
    func revived(_ number: Int64, in database: Database) throws -> Int64 {
        usedClasses?.insert(number)
        guard let text = removedClasses[number] else { return number }
        try run(
            "UPDATE OR IGNORE class SET traits = ? WHERE number = ? AND traits = ?",
            [text, number, Self.placeholder(number)], database)
        try run("INSERT INTO class (number, traits) VALUES (?, ?) ON CONFLICT DO NOTHING", [number, text], database)
        let statement = try database.cachedStatement(sql: "SELECT number FROM class WHERE traits = ?")
        guard let saved = try Int64.fetchOne(statement, arguments: [text]) else {
            throw DatabaseError(resultCode: .SQLITE_INTERNAL)
        }
        usedClasses?.insert(saved)
        return saved
    }

    private static func placeholder(_ number: Int64) -> String { "{\"unused\":\(number)}" }
}
