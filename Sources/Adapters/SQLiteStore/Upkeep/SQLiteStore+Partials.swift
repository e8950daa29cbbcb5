// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
public import TransferModel

extension SQLiteStore {
    /// Returns the partial files that no transfer will resume from. The file's transfer has ended or is unknown, no
    /// ending keeps the file, and no other transfer continues the file.
    ///
    /// - Parameter files: The paths of partial files, each with the ID of the transfer that created the file.
    public func unreferenced(_ files: [(path: String, transfer: TransferID)]) async throws -> [String] {
        guard !files.isEmpty else { return [] }
        return try await read { [rows] database in
            var kept = Set<String>()
            for sql in [
                "SELECT json_extract(resume, '$.path') FROM progress WHERE resume IS NOT NULL",
                "SELECT json_extract(value, '$.path') FROM event WHERE kind = 1 AND value IS NOT NULL",
                """
                SELECT coalesce(json_extract(ending, '$.failed.keeping.path'),
                    json_extract(ending, '$.completed.keeping.path')) AS path FROM ended WHERE path IS NOT NULL
                """,
            ] { kept.formUnion(try String.fetchAll(database, sql: sql)) }
            return try files.filter { file in
                guard !kept.contains(file.path) else { return false }
                guard let transfer = try rows.transfer(file.transfer.rawValue, in: database) else { return true }
                return transfer.ending != nil
            }.map(\.path)
        }
    }
}
