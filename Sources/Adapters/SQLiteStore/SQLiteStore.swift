// SPDX-License-Identifier: Apache-2.0
internal import GRDB
public import TransferEngine
public import TransferPolicy
public import TransferScheduling

/// The queue in one SQLite database, shared by any number of processes.
///
/// Every commit is durable on return: write-ahead log, `synchronous=FULL`. Commits that wait for the disk at the same
/// time share one transaction. What may be secret leaves the row in the transaction that ends a transfer, and the
/// files' free space soon after. Ended transfers stay, redacted, so that a later run can ask for the `latest(forKey:)`.
public final class SQLiteStore: TransferStore {
    private let configuration: SQLiteStoreConfiguration
    // Not private, so that tests can ask the very connection that writes for its settings.
    let database: DatabaseQueue
    let writer: GroupCommit

    /// Opens the queue, creating or migrating it. Blocks while another process does the same.
    ///
    /// - Throws: `TransferStoreError` that tells what is wrong with the file and what to do.
    public init(_ configuration: SQLiteStoreConfiguration) throws {
        self.configuration = configuration
        database = try Self.open(configuration)
        writer = GroupCommit(
            database: database, path: configuration.path,
            busyMilliseconds: Self.milliseconds(configuration.busyTimeout))
    }

    /// Numbers for new transfers; costs one durable transaction, shared with the commits that wait beside it.
    public func newIdentifiers(count: Int) async throws -> [TransferID] {
        let count = Int64(max(0, count))
        return try await writer.perform { database in
            let statement = try database.cachedStatement(
                sql: "UPDATE identifier SET last = last + ? RETURNING last")
            guard let last = try Int64.fetchOne(statement, arguments: [count]) else {
                throw TransferStoreError(
                    code: .corrupt,
                    message:
                        "The table of identifiers has lost its row. Restore the file from a backup or move it away.")
            }
            return (last - count..<last).map { TransferID($0 + 1) }
        }
    }

    /// Saves all of `changes` or none, durably.
    public func commit(_ changes: [StoreChange]) async throws {
        guard !changes.isEmpty else { return }
        let writer = writer
        try await writer.perform { database in
            for change in changes where try TransferRows.apply(change, to: database) == .removedSecrets {
                writer.scrubLater()
            }
        }
    }

    /// Every transfer of the configured scope that has not ended, in the order of their identifiers.
    public func unfinished() async throws -> [StoredTransfer] {
        let scope = configuration.scope
        return try await read { database in try TransferRows.unfinished(scope, in: database) }
    }

    /// What was learned of this machine and saved last, whatever the scope.
    public func learned() async throws -> Learned? {
        try await read { database in try TransferRows.learned(in: database) }
    }

    /// The newest transfer that was inserted with `key` (text without NUL), ended or not.
    public func latest(forKey key: String) async throws -> StoredTransfer? { try await latest(forKeys: [key])[key] }

    /// For each of `keys` (text without NUL) the newest transfer that was inserted with it, ended or not; one question,
    /// however many they are.
    public func latest(forKeys keys: [String]) async throws -> [String: StoredTransfer] {
        try await read { database in try TransferRows.latest(forKeys: keys, in: database) }
    }

    /// The newest transfers that are over, at most `limit` of them, newest first.
    public func ended(limit: Int) async throws -> [StoredTransfer] {
        try await read { database in try TransferRows.ended(limit: limit, in: database) }
    }

    /// Finishes writing and lets go of the files; every later call throws.
    public func close() async {
        // The connection's serial queue runs what was handed to it before: nothing acknowledged or waiting is lost.
        writer.refuseFurtherRequests()
        try? database.close()
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        guard !writer.isClosed else { throw GroupCommit.closed(configuration.path) }
        do {
            return try await database.read(body)
        } catch let error as DatabaseError {
            throw TransferStoreError(error, path: configuration.path)
        } catch let error as TransferStoreError {
            throw error.naming(configuration.path)
        }
    }
}
