// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
public import TransferEngine
public import TransferModel
public import TransferScheduling

/// A store for tests that keeps its data in memory and can simulate failures.
///
/// Several stores on one `Disk` represent a program that is started again, or several programs that share a queue.
///
/// ```swift
/// let disk = InMemoryTransferStore.Disk()
/// let store = InMemoryTransferStore(disk: disk)
/// let restarted = InMemoryTransferStore(disk: disk)
/// ```
public final class InMemoryTransferStore: TransferStore {
    /// The contents that outlive a store.
    public final class Disk: Sendable {
        fileprivate struct Contents: Sendable {
            var last: Int64 = 0
            var transfers: [TransferID: StoredTransfer] = [:]
            var commits: [[StoreChange]] = []
            /// The statistics in encoded form, as on a real disk. A property that is not encoded is lost in a
            /// restart.
            var statistics: Data?
            var failure: TransferStoreError?
            var readFailure: TransferStoreError?
            var recoveryFailure: (error: TransferStoreError, after: Int)?
            /// The commits that wait while the disk hangs. `nil` while the disk responds.
            var waiting: [CheckedContinuation<Void, Never>]?
        }

        fileprivate let contents = Mutex(Contents())

        /// Creates an empty disk.
        public init() {}

        /// Makes every write fail with `error` until this method is called with `nil`. Failed writes save nothing.
        public func fail(with error: TransferStoreError?) {
            contents.withLock { $0.failure = error }
        }

        /// Makes every query for single transfers fail with `error` until this method is called with `nil`.
        public func failReading(with error: TransferStoreError?) {
            contents.withLock { $0.readFailure = error }
        }

        /// Makes recovery fail with `error` after `count` transfers, until this method is called with `nil`.
        public func failRecovery(with error: TransferStoreError?, after count: Int = 0) {
            contents.withLock { $0.recoveryFailure = error.map { ($0, count) } }
        }

        /// Makes every commit wait, as for another process's lock, until this method is called with `false`.
        public func setHanging(_ isHanging: Bool) {
            let released = contents.withLock { contents in
                defer { contents.waiting = isHanging ? contents.waiting ?? [] : nil }
                return isHanging ? [] : contents.waiting ?? []
            }
            for continuation in released { continuation.resume() }
        }

        fileprivate func waitWhileHanging() async {
            await withCheckedContinuation { continuation in
                let continues = contents.withLock { contents in
                    contents.waiting?.append(continuation)
                    return contents.waiting == nil
                }
                if continues { continuation.resume() }
            }
        }

        /// Damages the persisted statistics, as a failing disk would. The transfers remain intact.
        public func damageStatistics() {
            contents.withLock { $0.statistics = Data("{\"history\":7}".utf8) }
        }

        /// All commits so far, oldest first, with their changes as submitted.
        public var commits: [[StoreChange]] { contents.withLock(\.commits) }

        /// All transfers, including ended ones, sorted by identifier.
        public var transfers: [StoredTransfer] {
            contents.withLock { $0.transfers.values.sorted { $0.id < $1.id } }
        }
    }

    private let disk: Disk
    private let isClosed = Mutex(false)

    /// Creates a store on `disk`. By default, the store has a disk of its own.
    public init(disk: Disk = Disk()) {
        self.disk = disk
    }

    /// Applies all of the changes, or none of them.
    @discardableResult
    public func commit(_ changes: [StoreChange]) async throws -> [TransferID] {
        await disk.waitWhileHanging()
        return try write { contents in
            var new = contents
            var given: [TransferID] = []
            for change in changes {
                switch change {
                case .statistics(let value):
                    new.statistics = try JSONEncoder().encode(value)
                case .submitted(let transfer):
                    new.last += 1
                    given.append(TransferID(new.last))
                    new.transfers[TransferID(new.last)] = StoredTransfer(
                        id: TransferID(new.last), specification: transfer.specification,
                        resume: transfer.resume, key: transfer.key)
                case .inserted(let transfer):
                    try Self.apply(change, to: &new.transfers)
                    new.last = max(new.last, transfer.id.rawValue)
                case .respecified, .checkpointed, .retried, .suspended, .held, .relaunchDelayed, .ended:
                    try Self.apply(change, to: &new.transfers)
                }
            }
            if !changes.isEmpty { new.commits.append(changes) }
            contents = new
            return given
        }
    }

    /// Passes all unfinished transfers to the closure in batches of two, so that tests see several batches.
    public func recover(_ receive: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws {
        try requireOpen()
        var rest = disk.transfers.filter { $0.ending == nil }.map { RecoveredTransfer($0) }[...]
        let failure = disk.contents.withLock(\.recoveryFailure)
        while !rest.isEmpty {
            if let failure, rest.startIndex >= failure.after { throw failure.error }
            await receive(RecoveredTransfers(rest.prefix(2)))
            rest = rest.dropFirst(2)
        }
    }

    /// Returns the transfers with the given identifiers. Unknown identifiers are left out.
    public func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] {
        try requireOpen()
        return try disk.contents.withLock { contents in
            if let failure = contents.readFailure { throw failure }
            return ids.compactMap { contents.transfers[$0] }
        }
    }

    /// Returns the statistics that were saved last, or `nil` if none were saved.
    public func statistics() async throws -> PersistedStatistics? {
        try requireOpen()
        guard let data = disk.contents.withLock(\.statistics) else { return nil }
        do {
            return try JSONDecoder().decode(PersistedStatistics.self, from: data)
        } catch {
            throw TransferStoreError(code: .corrupt, message: "The statistics cannot be read: \(error)")
        }
    }

    /// Returns the newest transfer with `key`, ended or not.
    public func latest(forKey key: String) async throws -> StoredTransfer? {
        try requireOpen()
        return disk.transfers.last { $0.key == key }
    }

    /// Closes the store. Every later call throws.
    public func close() async {
        isClosed.withLock { $0 = true }
    }

    private func write<Value>(_ body: (inout Disk.Contents) throws -> sending Value) throws -> sending Value {
        try requireOpen()
        return try disk.contents.withLock { contents in
            if let failure = contents.failure { throw failure }
            return try body(&contents)
        }
    }

    private func requireOpen() throws {
        guard !isClosed.withLock({ $0 }) else {
            throw TransferStoreError(code: .other, message: "The queue has been closed; open it again to use it.")
        }
    }

    private static func apply(_ change: StoreChange, to transfers: inout [TransferID: StoredTransfer]) throws {
        switch change {
        case .inserted(let transfer):
            guard transfers[transfer.id] == nil else {
                throw TransferStoreError(code: .other, message: "Transfer \(transfer.id) already exists.")
            }
            transfers[transfer.id] = transfer.ending.map { ended(transfer, $0) } ?? transfer
        case .respecified(let id, let specification):
            try update(id, in: &transfers) { $0.specification = specification }
        case .checkpointed(let id, let resume):
            try update(id, in: &transfers) { $0.resume = resume }
        case .retried(let id, let retry):
            try update(id, in: &transfers) { $0.retry = retry }
        case .suspended(let id, let isSuspended):
            try update(id, in: &transfers) { $0.isSuspended = isSuspended }
        case .held(let id, let hold):
            try update(id, in: &transfers) { $0.hold = hold }
        case .relaunchDelayed(let id, let hold):
            try update(id, in: &transfers) { $0.relaunchDelay = hold }
        case .ended(let id, let ending):
            try update(id, in: &transfers) { $0 = ended($0, ending) }
        case .statistics, .submitted:
            break  // Neither change applies to an existing transfer.
        }
    }

    private static func update(
        _ id: TransferID, in transfers: inout [TransferID: StoredTransfer], _ change: (inout StoredTransfer) -> Void
    ) throws {
        guard var transfer = transfers[id], transfer.ending == nil else {
            throw TransferStoreError(
                code: .noSuchTransfer,
                message: "Transfer \(id) does not exist or has ended, so it cannot be changed.")
        }
        change(&transfer)
        transfers[id] = transfer
    }

    /// Returns the parts of a transfer that remain after its end: no secrets and no progress.
    private static func ended(_ transfer: StoredTransfer, _ ending: TransferEnding) -> StoredTransfer {
        StoredTransfer(
            id: transfer.id, specification: transfer.specification.redacted, ending: ending, key: transfer.key)
    }
}
