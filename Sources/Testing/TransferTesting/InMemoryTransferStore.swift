// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
public import TransferEngine
public import TransferModel
public import TransferScheduling

/// A store for tests: keeps nothing beyond the process, and can be told to fail.
///
/// Several stores on one `Disk` stand for a program that is started again, or for several that share a queue.
public final class InMemoryTransferStore: TransferStore {
    /// What outlives a store.
    public final class Disk: Sendable {
        fileprivate struct Contents: Sendable {
            var last: Int64 = 0
            var transfers: [TransferID: StoredTransfer] = [:]
            var commits: [[StoreChange]] = []
            /// As text, as on a real disk: what a value does not write down is not there after a restart.
            var learned: Data?
            var failure: TransferStoreError?
            var readFailure: TransferStoreError?
            var recoveryFailure: (error: TransferStoreError, after: Int)?
            /// Those who wait for a disk that does not answer; nil while it does.
            var waiting: [CheckedContinuation<Void, Never>]?
        }

        fileprivate let contents = Mutex(Contents())

        /// An empty disk.
        public init() {}

        /// Makes every write fail with `error` until it is called with nil; nothing is saved meanwhile.
        public func fail(with error: TransferStoreError?) {
            contents.withLock { $0.failure = error }
        }

        /// Makes every question for single transfers fail with `error` until it is called with nil.
        public func failReading(with error: TransferStoreError?) {
            contents.withLock { $0.readFailure = error }
        }

        /// Makes recovery fail with `error` once so many were handed over, until it is called with nil.
        public func failRecovery(with error: TransferStoreError?, after count: Int = 0) {
            contents.withLock { $0.recoveryFailure = error.map { ($0, count) } }
        }

        /// Makes every commit wait until it is called with false, as behind another process's lock.
        public func setHanging(_ isHanging: Bool) {
            let released = contents.withLock { contents in
                defer { contents.waiting = isHanging ? contents.waiting ?? [] : nil }
                return isHanging ? [] : contents.waiting ?? []
            }
            for continuation in released { continuation.resume() }
        }

        fileprivate func waitWhileHanging() async {
            await withCheckedContinuation { continuation in
                let goesOn = contents.withLock { contents in
                    contents.waiting?.append(continuation)
                    return contents.waiting == nil
                }
                if goesOn { continuation.resume() }
            }
        }

        /// Spoils what was learned, as a failing disk would; the transfers stay as they are.
        public func damageLearned() {
            contents.withLock { $0.learned = Data("{\"history\":7}".utf8) }
        }

        /// Every commit so far, oldest first, as it was handed over.
        public var commits: [[StoreChange]] { contents.withLock(\.commits) }

        /// Every transfer, ended ones too, by identifier.
        public var transfers: [StoredTransfer] {
            contents.withLock { $0.transfers.values.sorted { $0.id < $1.id } }
        }
    }

    private let disk: Disk
    private let isClosed = Mutex(false)

    /// A store on `disk`; without one, on a disk of its own.
    public init(disk: Disk = Disk()) {
        self.disk = disk
    }

    /// Applies all of `changes` or none.
    @discardableResult
    public func commit(_ changes: [StoreChange]) async throws -> [TransferID] {
        await disk.waitWhileHanging()
        return try write { contents in
            var new = contents
            var given: [TransferID] = []
            for change in changes {
                switch change {
                case .learned(let value):
                    new.learned = try JSONEncoder().encode(value)
                case .submitted(let transfer, let resume):
                    new.last += 1
                    given.append(TransferID(new.last))
                    new.transfers[TransferID(new.last)] = StoredTransfer(
                        id: TransferID(new.last), specification: transfer.specification, resume: resume,
                        key: transfer.key)
                case .inserted(let transfer):
                    try Self.apply(change, to: &new.transfers)
                    new.last = max(new.last, transfer.id.rawValue)
                case .respecified, .checkpointed, .retried, .suspended, .held, .relaunchHeld, .ended:
                    try Self.apply(change, to: &new.transfers)
                }
            }
            if !changes.isEmpty { new.commits.append(changes) }
            contents = new
            return given
        }
    }

    /// Hands over every transfer that has not ended, in small batches, so that there are several.
    public func recover(_ take: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws {
        try requireOpen()
        var rest = disk.transfers.filter { $0.ending == nil }.map { RecoveredTransfer($0) }[...]
        let failure = disk.contents.withLock(\.recoveryFailure)
        while !rest.isEmpty {
            if let failure, rest.startIndex >= failure.after { throw failure.error }
            await take(RecoveredTransfers(rest.prefix(2)))
            rest = rest.dropFirst(2)
        }
    }

    /// Those with these numbers.
    public func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer] {
        try requireOpen()
        return try disk.contents.withLock { contents in
            if let failure = contents.readFailure { throw failure }
            return ids.compactMap { contents.transfers[$0] }
        }
    }

    /// What was saved last of what was learned.
    public func learned() async throws -> Learned? {
        try requireOpen()
        guard let data = disk.contents.withLock(\.learned) else { return nil }
        do {
            return try JSONDecoder().decode(Learned.self, from: data)
        } catch {
            throw TransferStoreError(code: .corrupt, message: "What was learned cannot be read: \(error)")
        }
    }

    /// The newest transfer that was inserted with `key`, ended or not.
    public func latest(forKey key: String) async throws -> StoredTransfer? {
        try requireOpen()
        return disk.transfers.last { $0.key == key }
    }

    /// Makes every later call throw.
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
                throw TransferStoreError(code: .other, message: "Transfer \(transfer.id) exists already.")
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
        case .relaunchHeld(let id, let hold):
            try update(id, in: &transfers) { $0.relaunchHold = hold }
        case .ended(let id, let ending):
            try update(id, in: &transfers) { $0 = ended($0, ending) }
        case .learned, .submitted:
            break  // No transfer's that is there already.
        }
    }

    private static func update(
        _ id: TransferID, in transfers: inout [TransferID: StoredTransfer], _ change: (inout StoredTransfer) -> Void
    ) throws {
        guard var transfer = transfers[id], transfer.ending == nil else {
            throw TransferStoreError(
                code: .noSuchTransfer,
                message: "Transfer \(id) does not exist or has ended, so nothing of it can be changed.")
        }
        change(&transfer)
        transfers[id] = transfer
    }

    /// What stays of a transfer that is over: nothing secret, nothing of its progress.
    private static func ended(_ transfer: StoredTransfer, _ ending: TransferEnding) -> StoredTransfer {
        StoredTransfer(
            id: transfer.id, specification: transfer.specification.redacted, ending: ending, key: transfer.key)
    }
}
