// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Synchronization
public import TransferEngine
public import TransferModel
public import TransferScheduling

/// A transfer queue in one SQLite database, shared by any number of processes.
///
/// Every commit is durable when the call returns: the store uses a write-ahead log and `synchronous=FULL`. Commits
/// that wait for the disk at the same time share one transaction.
///
/// The transaction that ends a transfer removes possible secrets from the transfer's row. The files' free space loses
/// the secrets soon after. Ended transfers stay in the database, redacted, so that a later run can find them by
/// `latest(forKey:)`.
///
/// ```swift
/// let store = try SQLiteStore(SQLiteStoreConfiguration(path: "/var/lib/episodes/queue.sqlite"))
/// ```
public final class SQLiteStore: TransferStore {
    let configuration: SQLiteStoreConfiguration
    /// The data lost when a damaged file was repaired at opening; `nil` if nothing was lost.
    public let loss: StateLoss?
    // Not private, so that tests can query the settings of the connection that writes.
    let database: DatabaseQueue
    let rows = TransferRows()
    let writer: GroupCommit
    let upkeep: Upkeep
    /// The conditions of the machine that were recorded last; `nil` while conditions are not being watched.
    let watch = Mutex<StoredConditions?>(nil)

    /// Checks that this release can open the queue, while another process may be using the queue. A missing file is
    /// fine, and nothing is changed.
    ///
    /// - Throws: `TransferStoreError`, for example with the code `newerSchema`.
    package static func check(_ configuration: SQLiteStoreConfiguration) throws {
        try QueueOpener(configuration).checkVersion()
    }

    /// Opens the queue, creating or migrating the database. Blocks while another process creates or migrates it.
    ///
    /// - Throws: `TransferStoreError` that describes the problem with the file and its remedy.
    public init(_ configuration: SQLiteStoreConfiguration) throws {
        self.configuration = configuration
        (database, loss) = try QueueOpener(configuration).open()
        writer = GroupCommit(
            database: database, rows: rows, path: configuration.path,
            busyMilliseconds: configuration.busyTimeout.wholeMilliseconds,
            upkeep: UpkeepSchedule(
                idleTime: configuration.idleTime, interval: configuration.upkeepInterval,
                secretsInterval: configuration.secretsInterval, now: .now))
        upkeep = Upkeep(configuration, loss: loss, database: database, rows: rows, writer: writer)
        do {
            try database.writeWithoutTransaction { [rows, writer] database in
                writer.checkpointLog(of: database)
                try rows.prepare(database)
                try ExpiredRows(configuration.retention).deleteIfMany(in: database)
            }
        } catch {
            let storeError = TransferStoreError(wrapping: error, path: configuration.path)
            if storeError.code == .corrupt { QueueFile(path: configuration.path).markSuspect() }
            throw storeError
        }
        writer.whenUpkeepIsDue { [weak upkeep] in
            // Upkeep that fails now runs again after the next commit. Commits report errors themselves.
            try? upkeep?.perform()
        }
    }

    /// Saves all of `changes` or none, durably. Concurrent commits may share the transaction.
    ///
    /// - Returns: The IDs of the new transfers.
    @discardableResult
    public func commit(_ changes: [StoreChange]) async throws -> [TransferID] {
        guard !changes.isEmpty else { return [] }
        let request: ChangesRequest
        do {
            request = try ChangesRequest(changes, rows.classes.saved)
        } catch {
            throw TransferStoreError(wrapping: error, path: configuration.path)
        }
        return try await writer.commit(request)
    }

    /// Passes every unfinished transfer of the configured scope to a closure. Reads ahead while the closure runs.
    public func recover(_ receive: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws {
        switch configuration.scope {
        case .keys(let keys):
            let found = try await read { [rows] database in try rows.recover(keys: keys, in: database) }
            if !found.isEmpty { await receive(found) }
        case .all:
            guard !writer.isClosed else { throw GroupCommit.closed(configuration.path) }
            let reader = QueueReader(database, rows)
            reader.start()
            do {
                for try await chunk in reader.chunks {
                    await receive(chunk)
                    reader.consumed()
                }
            } catch {
                throw described(error)
            }
            // A canceled task ends the stream early, so the closure has not received the whole queue.
            try Task.checkCancellation()
        }
    }

    /// Returns the transfers with these IDs, finished or not. Unknown IDs are skipped.
    public func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] {
        try await read { [rows] database in try rows.transfers(ids.map(\.rawValue), in: database) }
    }

    /// Returns at most `limit` unfinished transfers with IDs greater than `id`, in any scope. Reads a long queue page
    /// by page.
    public func unfinished(after id: TransferID, limit: Int) async throws -> [StoredTransfer] {
        try await read { [rows] database in try rows.unfinished(after: id.rawValue, limit: limit, in: database) }
    }

    /// Returns the machine statistics that were saved last, regardless of scope; `nil` if none were saved.
    public func statistics() async throws -> PersistedStatistics? {
        try await read { [rows] database in try rows.statistics(in: database) }
    }

    /// Returns the newest transfer that was inserted with `key` (text without NUL), finished or not.
    public func latest(forKey key: String) async throws -> StoredTransfer? { try await latest(forKeys: [key])[key] }

    /// Returns, for each of `keys` (text without NUL), the newest transfer that was inserted with that key, finished
    /// or not. Costs one query for any number of keys.
    public func latest(forKeys keys: [String]) async throws -> [String: StoredTransfer] {
        try await read { [rows] database in try rows.latest(forKeys: keys, in: database) }
    }

    /// Returns the newest transfer that was inserted with a key that begins with `prefix`, finished or not.
    package func latest(forKeyPrefix prefix: String) async throws -> StoredTransfer? {
        try await read { [rows] database in try rows.latest(forKeyPrefix: prefix, in: database) }
    }

    /// Returns the finished transfers with the greatest IDs that are not cleared, newest first, at most `limit`.
    public func ended(limit: Int) async throws -> [StoredTransfer] {
        try await read { [rows] database in try rows.ended(limit: limit, in: database) }
    }

    /// Finishes writing and closes the files. Every later call throws.
    public func close() async {
        recordEndOfWatch(at: .now)
        // The connection's serial queue runs all earlier work first, so no acknowledged or waiting request is lost.
        writer.refuseFurtherRequests()
        try? await database.writeWithoutTransaction { [rows] _ in rows.end() }
        try? database.close()
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        guard !writer.isClosed else { throw GroupCommit.closed(configuration.path) }
        do {
            return try await database.read(body)
        } catch {
            throw described(error)
        }
    }

    /// Translates a read error into an error that describes the state of the queue.
    private func described(_ error: any Error) -> any Error {
        switch error {
        case let error as DatabaseError:
            if error.resultCode == .SQLITE_CORRUPT { QueueFile(path: configuration.path).markSuspect() }
            return TransferStoreError(error, path: configuration.path)
        case let error as TransferStoreError: return error.naming(configuration.path)
        default: return error
        }
    }
}
