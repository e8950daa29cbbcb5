// SPDX-License-Identifier: Apache-2.0
internal import GRDB
package import TransferEngine
internal import TransferModel
package import TransferSessions

/// The background sessions, stored in two tables of JSON in the database of the queue. Read once at the start, then
/// written row by row.
extension SQLiteStore: SessionStore {
    package func sessions() async throws -> [StoredSession] {
        try await read { database in
            var sessions: [SessionKey: StoredSession] = [:]
            for row in try Row.fetchAll(database, sql: "SELECT app, identifier, record FROM session") {
                let key = SessionKey(app: row[0], identifier: row[1])
                sessions[key] = StoredSession(key: key, record: try JSONText.decode(SessionRecord.self, from: row[2]))
            }
            for row in try Row.fetchAll(database, sql: "SELECT app, identifier, number, record FROM session_task") {
                let key = SessionKey(app: row[0], identifier: row[1])
                sessions[key]?.tasks[row[2]] = try JSONText.decode(TaskRecord.self, from: row[3])
            }
            return sessions.values.sorted { $0.key < $1.key }
        }
    }

    package func commit(_ changes: [SessionChange]) async throws {
        guard !changes.isEmpty else { return }
        let steps: [SessionStep]
        do {
            steps = try changes.map { try SessionStep($0) }
        } catch {
            throw TransferStoreError(wrapping: error, path: configuration.path)
        }
        try await writer.perform { database in
            for step in steps { try database.execute(sql: step.sql, arguments: step.arguments) }
            // Addresses and header fields may have been secret.
            return steps.contains(where: \.removes)
        }
    }

    package func transfers(forKeys keys: [String]) async throws -> [String: StoredTransfer] {
        keys.isEmpty ? [:] : try await latest(forKeys: keys)
    }
}

/// The SQL statement for a change.
private struct SessionStep {
    var sql: String
    var arguments: StatementArguments
    var removes = false

    init(_ change: SessionChange) throws {
        switch change {
        case .session(let key, let record):
            sql = """
                INSERT INTO session (app, identifier, record) VALUES (?, ?, ?)
                ON CONFLICT (app, identifier) DO UPDATE SET record = excluded.record
                """
            arguments = [key.app, key.identifier, try JSONText.encode(record)]
        case .task(let key, let record):
            sql = """
                INSERT INTO session_task (app, identifier, number, record) VALUES (?, ?, ?, ?)
                ON CONFLICT (app, identifier, number) DO UPDATE SET record = excluded.record
                """
            arguments = [key.app, key.identifier, record.snapshot.identifier, try JSONText.encode(record)]
            removes = record.end != nil
        case .taskRemoved(let key, let number):
            sql = "DELETE FROM session_task WHERE app = ? AND identifier = ? AND number = ?"
            arguments = [key.app, key.identifier, number]
            removes = true
        case .removed(let key):
            sql = "DELETE FROM session WHERE app = ? AND identifier = ?"
            arguments = [key.app, key.identifier]
            removes = true
        }
    }
}
