// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Synchronization
public import TransferEngine
public import TransferModel
public import TransferScheduling

/// The queue in one SQLite database, shared by any number of processes.
///
/// Every commit is durable on return: write-ahead log, `synchronous=FULL`. Commits that wait for the disk at the same
/// time share one transaction. What may be secret leaves the row in the transaction that ends a transfer, and the
/// files' free space soon after. Ended transfers stay, redacted, so that a later run can ask for the `latest(forKey:)`.
public final class SQLiteStore: TransferStore {
    let configuration: SQLiteStoreConfiguration
    /// What was lost where the file was found to be damaged and was repaired; nil where all is there.
    public let loss: StateLoss?
    // Not private, so that tests can ask the very connection that writes for its settings.
    let database: DatabaseQueue
    let rows = TransferRows()
    let writer: GroupCommit
    let upkeep: Upkeep
    /// What the machine was like when that was taken down last; nil while nobody watches.
    let watch = Mutex<RecordedFacts?>(nil)

    /// Opens the queue, creating or migrating it. Blocks while another process does the same.
    ///
    /// - Throws: `TransferStoreError` that tells what is wrong with the file and what to do.
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
                writer.keepLog(of: database)
                try rows.prepare(database)
                try ExpiredRows(configuration.retention).forgetIfMany(in: database)
            }
        } catch {
            let trouble = TransferStoreError(wrapping: error, path: configuration.path)
            if trouble.code == .corrupt { QueueFile(path: configuration.path).suspect() }
            throw trouble
        }
        writer.whenUpkeepIsDue { [weak upkeep] in
            // What cannot be done now is done after the next commit; commits tell of trouble themselves.
            try? upkeep?.perform()
        }
    }

    /// Saves all of `changes` or none, durably, in one transaction that commits beside it share.
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

    /// Hands over every transfer of the configured scope that has not ended, reading the next while some are taken.
    public func recover(_ take: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws {
        switch configuration.scope {
        case .keys(let keys):
            let found = try await read { [rows] database in try rows.recover(keys: keys, in: database) }
            if !found.isEmpty { await take(found) }
        case .all:
            guard !writer.isClosed else { throw GroupCommit.closed(configuration.path) }
            let reader = QueueReader(database, rows)
            reader.start()
            do {
                for try await stretch in reader.stretches {
                    await take(stretch)
                    reader.taken()
                }
            } catch {
                throw described(error)
            }
            // Ended early so: that is not all of the queue.
            try Task.checkCancellation()
        }
    }

    /// Those with these numbers, ended or not.
    public func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] {
        try await read { [rows] database in try rows.transfers(ids.map(\.rawValue), in: database) }
    }

    /// Those that have not ended, whatever the scope, after a number, so many at most: a long queue, piece by piece.
    public func unfinished(after id: TransferID, limit: Int) async throws -> [StoredTransfer] {
        try await read { [rows] database in try rows.unfinished(after: id.rawValue, limit: limit, in: database) }
    }

    /// What was learned of this machine and saved last, whatever the scope.
    public func learned() async throws -> Learned? {
        try await read { [rows] database in try rows.learned(in: database) }
    }

    /// The newest transfer that was inserted with `key` (text without NUL), ended or not.
    public func latest(forKey key: String) async throws -> StoredTransfer? { try await latest(forKeys: [key])[key] }

    /// For each of `keys` (text without NUL) the newest transfer that was inserted with it, ended or not; one question,
    /// however many they are.
    public func latest(forKeys keys: [String]) async throws -> [String: StoredTransfer] {
        try await read { [rows] database in try rows.latest(forKeys: keys, in: database) }
    }

    /// The newest transfers that are over, at most `limit` of them, newest first.
    public func ended(limit: Int) async throws -> [StoredTransfer] {
        try await read { [rows] database in try rows.ended(limit: limit, in: database) }
    }

    /// Finishes writing and lets go of the files; every later call throws.
    public func close() async {
        recordEndOfWatch(at: .now)
        // The connection's serial queue runs what was handed to it before: nothing acknowledged or waiting is lost.
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

    /// What an error in reading means for the queue.
    private func described(_ error: any Error) -> any Error {
        switch error {
        case let error as DatabaseError:
            if error.resultCode == .SQLITE_CORRUPT { QueueFile(path: configuration.path).suspect() }
            return TransferStoreError(error, path: configuration.path)
        case let error as TransferStoreError: return error.naming(configuration.path)
        default: return error
        }
    }
}
