// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy
public import TransferScheduling

/// Keeps the queue through crashes, restarts and power loss.
///
/// Every implementation passes `TransferStoreContract` in TransferTesting.
public protocol TransferStore: Sendable {
    /// Saves all of `changes` or none, durably: after the return they survive a power loss.
    ///
    /// - Returns: the numbers of those that were ``StoreChange/submitted(_:resume:)``, in their order: ascending, each
    ///   larger than every one given or inserted before, also across processes on the same state.
    /// - Throws: `TransferStoreError` that tells what is wrong and what to do; nothing is saved then.
    @discardableResult
    func commit(_ changes: [StoreChange]) async throws -> [TransferID]

    /// Hands over every transfer that has not ended, in the order of their numbers, some thousand at a time: what the
    /// deciding code needs of them, and no more. Returns when the last have been taken.
    func recover(_ take: @escaping @Sendable (RecoveredTransfers) async -> Void) async throws

    /// Those with these numbers, ended or not, in that order; numbers that there are none of are left out.
    func transfers(_ ids: [TransferID]) async throws -> [StoredTransfer]

    /// What was saved last as ``StoreChange/learned(_:)``; nil before anything was.
    ///
    /// One value for all who share the state: of two processes the one that saves last is remembered.
    ///
    /// - Throws: `TransferStoreError` of the code `corrupt` where the value cannot be read; the transfers still can be,
    ///   and the next one saved takes its place.
    func learned() async throws -> Learned?

    /// Finishes writing and lets go of the files.
    func close() async
}

extension TransferStore {
    /// Every transfer that has not ended, whole, in the order of their numbers: for queues that are known to be small.
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
    /// What is needed of a stored one.
    public init(_ stored: StoredTransfer) {
        self.init(
            id: stored.id, traits: stored.specification.traits,
            state: RecoveredState(
                bytes: stored.resume?.bytes ?? 0, total: stored.resume?.total, retry: stored.retry,
                isPaused: stored.isSuspended, relaunchHold: stored.relaunchHold,
                held: stored.hold.map { RecoveredHold(by: $0.holder, why: $0.why) }))
    }
}

/// A transfer as the store keeps it.
public struct StoredTransfer: Hashable, Sendable {
    /// Its number.
    public var id: TransferID
    /// What to do.
    public var specification: TransferSpecification
    /// What there is to continue from.
    public var resume: ResumePoint?
    /// Failed attempts without progress so far, and until when it backs off.
    public var retry: RetryState?
    /// Whether somebody paused it.
    public var isSuspended: Bool
    /// Who holds it back, and why; nil where nobody does.
    public var hold: TransferHold?
    /// What the relaunch limiter gave it; nil where it may begin at once.
    public var relaunchHold: RelaunchLimiter.Hold?
    /// How it ended; nil while it has not.
    public var ending: TransferEnding?
    /// What a caller finds "the same transfer" by in a later run; several rows may share one. Holds no secret.
    public var key: String?

    /// A stored transfer.
    public init(
        id: TransferID, specification: TransferSpecification, resume: ResumePoint? = nil, retry: RetryState? = nil,
        isSuspended: Bool = false, hold: TransferHold? = nil, relaunchHold: RelaunchLimiter.Hold? = nil,
        ending: TransferEnding? = nil, key: String? = nil
    ) {
        self.id = id
        self.specification = specification
        self.resume = resume
        self.retry = retry
        self.isSuspended = isSuspended
        self.hold = hold
        self.relaunchHold = relaunchHold
        self.ending = ending
        self.key = key
    }
}

/// A hold that somebody, or something, put on a transfer.
public struct TransferHold: Hashable, Sendable, Codable {
    /// Who holds it, for people.
    public var holder: String
    /// Why, for people.
    public var why: String

    /// A hold.
    public init(by holder: String, why: String) {
        self.holder = holder
        self.why = why
    }
}

/// One change to what is stored.
///
/// Indirect, since it goes through several hands, and a specification is hundreds of bytes.
public indirect enum StoreChange: Hashable, Sendable {
    /// A new transfer, to which the store gives a number. `resume` is what there is to continue from.
    case submitted(NewTransfer, resume: ResumePoint?)
    /// A transfer that has a number already.
    case inserted(StoredTransfer)
    /// Another specification for a transfer that has not ended.
    case respecified(TransferID, TransferSpecification)
    /// How far it is; nil where the partial file was given up.
    case checkpointed(TransferID, ResumePoint?)
    /// Failed attempts, or nil after progress.
    case retried(TransferID, RetryState?)
    /// Paused or resumed by somebody.
    case suspended(TransferID, Bool)
    /// Held back by somebody, or released where it is nil.
    case held(TransferID, TransferHold?)
    /// What the relaunch limiter gave it; nil where it may begin.
    case relaunchHeld(TransferID, RelaunchLimiter.Hold?)
    /// What the scheduler has learned, in place of what it had before. Belongs to no transfer.
    case learned(Learned)
    /// Over. What may be secret is removed from the row; of its progress only what the ending keeps stays.
    case ended(TransferID, TransferEnding)
}

/// How a transfer ended.
public enum TransferEnding: Hashable, Sendable, Codable {
    /// With a complete answer of the server. Where that was an error, `keeping` is the partial file that stays.
    case completed(TransferCompletion, keeping: ResumePoint? = nil)
    /// With an error that will not pass. `keeping` is the partial file that stays, for who asks for the same again.
    case failed(TransferFailure, keeping: ResumePoint? = nil)
    /// Because somebody asked for it: nothing stays.
    case cancelled

    /// The same without what may be secret: the address that answered has no query.
    public var redacted: TransferEnding {
        guard case .completed(var completion, let kept) = self, let url = completion.response?.url else { return self }
        completion.response?.url = TransferSpecification.redacted(url: url)
        return .completed(completion, keeping: kept)
    }

    /// The partial file that stays.
    public var kept: ResumePoint? {
        switch self {
        case .completed(_, let resume), .failed(_, let resume): resume
        case .cancelled: nil
        }
    }
}

/// What went wrong with the store, and what to do about it.
public struct TransferStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of trouble.
    public enum Code: String, Hashable, Sendable {
        /// The state folder or its database cannot be opened or written.
        case notWritable
        /// The disk is full; nothing was lost, nothing was saved.
        case diskFull
        /// The database is damaged.
        case corrupt
        /// The database was written by a newer version of this program.
        case newerSchema
        /// A transfer of that number does not exist or has ended.
        case noSuchTransfer
        /// Anything else SQLite reports.
        case other
    }

    /// What kind of trouble it is.
    public var code: Code
    /// One or two sentences: what was wrong, where, and what to do.
    public var message: String

    /// An error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
