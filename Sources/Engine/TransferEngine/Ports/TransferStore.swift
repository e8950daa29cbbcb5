// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy
public import TransferScheduling

/// A store that keeps the queue across crashes, restarts, and power loss.
///
/// Every implementation passes `TransferStoreContract` in TransferTesting.
public protocol TransferStore: Sendable {
    /// Saves all of `changes` or none of them. After the method returns, the changes survive a power loss.
    ///
    /// - Returns: The IDs of the transfers that were ``StoreChange/submitted(_:)``, in the order of `changes`.
    ///   The IDs ascend. Each ID is greater than every earlier ID, also across processes that share the state.
    /// - Throws: `TransferStoreError` with a description of the fault and a remedy. Nothing is saved then.
    @discardableResult
    func commit(_ changes: [StoreChange]) async throws -> [TransferID]

    /// Passes every unfinished transfer to a closure, in ascending order and in batches of some thousand.
    ///
    /// Each batch contains only the values that the scheduler needs. Returns after the closure has returned for the
    /// last batch.
    ///
    /// - Throws: `TransferStoreError` if the queue cannot be read. `CancellationError` if the task is canceled, because
    ///   the closure may not have received the whole queue then.
    func recover(_ receive: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws

    /// Returns the transfers with these IDs, ended or not, in the order of `ids`. Omits unknown IDs.
    ///
    /// - Throws: `TransferStoreError` if the queue cannot be read.
    func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer]

    /// Returns the statistics that were saved last, or `nil` if no statistics were saved.
    ///
    /// All processes that share the state share one value. The process that saves last replaces the value.
    ///
    /// - Throws: `TransferStoreError` with the code `corrupt` if the value cannot be read. The transfers are still
    ///   readable, and the next saved value replaces the damaged value.
    func statistics() async throws -> PersistedStatistics?

    /// Finishes all writes and closes the files.
    func close() async
}

extension TransferStore {
    /// Returns every unfinished transfer with all its values, in ascending order. Use only for small queues.
    public func unfinished() async throws -> [StoredTransfer] {
        let (numbers, continuation) = AsyncStream.makeStream(of: [TransferID].self)
        try await recover { transfers in continuation.yield(transfers.map(\.id)) }
        continuation.finish()
        var all: [StoredTransfer] = []
        for await batch in numbers { all += try await transfers(batch).filter { $0.ending == nil } }
        return all
    }
}

extension RecoveredTransfer {
    /// Creates the scheduler's part of a stored transfer.
    public init(_ stored: StoredTransfer) {
        self.init(
            id: stored.id, traits: stored.specification.traits,
            state: RecoveredState(
                bytes: stored.resume?.bytes ?? 0, total: stored.resume?.total, retry: stored.retry,
                isPaused: stored.isSuspended, relaunchDelay: stored.relaunchDelay,
                held: stored.hold.map { RecoveredBlock(by: $0.holder, why: $0.why) }))
    }
}

/// A transfer in the store: its specification, its progress, its holds, and its outcome.
///
/// ```swift
/// let transfer = StoredTransfer(id: TransferID(1), specification: specification)
/// ```
public struct StoredTransfer: Hashable, Sendable {
    /// The ID of the transfer.
    public var id: TransferID
    /// The request, the destination, and the requirements of the transfer.
    public var specification: TransferSpecification
    /// The point from which the next attempt continues.
    public var resume: ResumePoint?
    /// The number of failed attempts without progress, and the end of the backoff.
    public var retry: RetryState?
    /// A Boolean value that indicates whether the transfer is paused.
    public var isSuspended: Bool
    /// The hold on the transfer, or `nil` if the transfer has no hold.
    public var hold: TransferHold?
    /// The delay from the relaunch limiter, or `nil` if the limiter does not delay the transfer.
    public var relaunchDelay: RelaunchLimiter.RelaunchDelay?
    /// The outcome of the transfer, or `nil` if the transfer has not ended.
    public var ending: TransferEnding?
    /// The key by which a caller finds the transfer in a later run. Several rows may share a key. Contains no secret.
    public var key: String?

    /// Creates a stored transfer.
    public init(
        id: TransferID, specification: TransferSpecification, resume: ResumePoint? = nil, retry: RetryState? = nil,
        isSuspended: Bool = false, hold: TransferHold? = nil, relaunchDelay: RelaunchLimiter.RelaunchDelay? = nil,
        ending: TransferEnding? = nil, key: String? = nil
    ) {
        self.id = id
        self.specification = specification
        self.resume = resume
        self.retry = retry
        self.isSuspended = isSuspended
        self.hold = hold
        self.relaunchDelay = relaunchDelay
        self.ending = ending
        self.key = key
    }
}

/// A hold that the user or a program places on a transfer.
///
/// ```swift
/// let hold = TransferHold(by: "backup", why: "the backup is running")
/// ```
public struct TransferHold: Hashable, Sendable, Codable {
    /// The name of the holder, for display to the user.
    public var holder: String
    /// The reason for the hold, for display to the user.
    public var why: String

    /// Creates a hold.
    public init(by holder: String, why: String) {
        self.holder = holder
        self.why = why
    }
}

/// A change to the store.
///
/// The enumeration is indirect because a change is passed along several times and a specification is hundreds of
/// bytes.
public indirect enum StoreChange: Hashable, Sendable {
    /// Adds a new transfer, to which the store assigns an ID.
    case submitted(NewTransfer)
    /// Adds a transfer that already has an ID.
    case inserted(StoredTransfer)
    /// Replaces the specification of an unfinished transfer.
    case respecified(TransferID, TransferSpecification)
    /// Saves the resume point of a transfer, or `nil` after the partial file was discarded.
    case checkpointed(TransferID, ResumePoint?)
    /// Saves the failed attempts of a transfer, or `nil` after progress.
    case retried(TransferID, RetryState?)
    /// Pauses or resumes a transfer.
    case suspended(TransferID, Bool)
    /// Holds a transfer back, or releases it if the hold is `nil`.
    case held(TransferID, TransferHold?)
    /// Saves the delay from the relaunch limiter, or `nil` if the transfer may start.
    case relaunchDelayed(TransferID, RelaunchLimiter.RelaunchDelay?)
    /// Replaces the statistics of the scheduler. The statistics belong to no transfer.
    case statistics(PersistedStatistics)
    /// Ends a transfer. The store removes possible secrets from the row. Only the progress that the ending keeps
    /// remains.
    case ended(TransferID, TransferEnding)
}

/// The outcome of a transfer.
public enum TransferEnding: Hashable, Sendable, Codable {
    /// The server sent a complete response. If the response was an error, `keeping` is the partial file that remains.
    case completed(TransferCompletion, keeping: ResumePoint? = nil)
    /// A permanent error ended the transfer. `keeping` is the partial file that remains for a later request of the
    /// same file.
    case failed(TransferFailure, keeping: ResumePoint? = nil)
    /// The transfer was canceled. Nothing remains.
    case cancelled

    /// The outcome without possible secrets. The URL of the final response has no query.
    public var redacted: TransferEnding {
        guard case .completed(var completion, let kept) = self, let url = completion.response?.url else { return self }
        completion.response?.url = RedactedURL.text(of: url)
        return .completed(completion, keeping: kept)
    }

    /// The partial file that remains.
    public var kept: ResumePoint? {
        switch self {
        case .completed(_, let resume), .failed(_, let resume): resume
        case .cancelled: nil
        }
    }
}

/// An error of the store, with a remedy.
///
/// ```swift
/// throw TransferStoreError(code: .diskFull, message: "The disk of /var/lib/example is full. Free some space.")
/// ```
public struct TransferStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: String, Hashable, Sendable {
        /// The state folder or its database cannot be opened or written.
        case notWritable
        /// The disk is full. Nothing was lost, and nothing was saved.
        case diskFull
        /// The database is damaged.
        case corrupt
        /// The database was written by a newer version of this program.
        case newerSchema
        /// The transfer does not exist or has ended.
        case noSuchTransfer
        /// Any other error that SQLite reports.
        case other
    }

    /// The kind of the error.
    public var code: Code
    /// One or two sentences that describe the fault, its location, and the remedy.
    public var message: String

    /// Creates an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
