// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import TransferEngine
public import TransferModel

extension SQLiteStore {
    /// Those of some partial files that no transfer here goes on from: it is over or unknown, its end keeps nothing of
    /// it, and no other has taken it over.
    ///
    /// - Parameter files: paths, each with the number of the transfer that it was begun for.
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
