// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Moves the bytes. The engine says what and when; how is the executor's affair.
///
/// All calls return at once. Reports of one attempt come in order, end with exactly one `ended`, and none follows it:
/// bytes of an attempt that was stopped never reach its successor. `start` for a transfer whose last attempt has not
/// ended yet is a fault of the caller. Every implementation passes `TransferExecutorContract` in TransferTesting.
public protocol TransferExecutor: Sendable {
    /// Begins an attempt.
    func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void)

    /// Ends the attempt that runs, keeping its bytes: synced, then reported as `ended(.stopped)`. Without one: nothing.
    func stop(_ id: TransferID)

    /// Removes what a transfer left that is over, once its end has been saved: the partial file, and what would tell the
    /// next attempt that the file is in its place. Of an upload, what the server has of it, as far as it lets itself be
    /// asked. Safe to repeat.
    func discard(_ job: TransferJob)

    /// How much may still be written where the partial and the finished file go, the floor that stays free deducted; nil
    /// for an upload, which takes no room.
    func availableSpace(for specification: TransferSpecification) -> Int64?

    /// Stops every attempt and lets go of the network. Returns when all have been reported as ended.
    func shutdown() async
}

/// One attempt to carry a transfer out.
public struct TransferJob: Hashable, Sendable, Codable {
    /// The transfer.
    public var id: TransferID
    /// What to do.
    public var specification: TransferSpecification
    /// What there is to continue from.
    public var resume: ResumePoint?

    /// An attempt.
    public init(id: TransferID, specification: TransferSpecification, resume: ResumePoint?) {
        self.id = id
        self.specification = specification
        self.resume = resume
    }
}

/// What an executor tells of an attempt.
public enum ExecutorReport: Hashable, Sendable, Codable {
    /// Bytes in the partial file so far, of an upload those handed to the network, and the size where it is known. At
    /// most a few a second.
    case progressed(bytes: Int64, total: Int64?)
    /// What is durably on disk: after 8 MiB or 2 s, and before the end of an attempt that keeps its bytes. The first
    /// one comes before the body, with the server's validator, so that a crash can continue. Of an upload: what the
    /// server has, as soon as it has said where to go on; never where it offers nothing to go on with.
    case checkpointed(ResumePoint)
    /// The partial file was given up: the server's file changed or cannot be continued, or the server has forgotten the
    /// upload; bytes start at 0 again.
    case restarted
    /// The head of the first answer came so long after the attempt's first request was sent. At most once in an attempt,
    /// before the first checkpoint.
    case answered(after: Duration)
    /// The attempt is over.
    case ended(ExecutorOutcome)
}

/// How an attempt ended.
public enum ExecutorOutcome: Hashable, Sendable, Codable {
    /// A complete answer of the server.
    case finished(TransferCompletion)
    /// Stopped as asked.
    case stopped(ResumePoint?)
    /// There is no room on disk. `needed` is what is still missing for the rest of the file; nil when unknown.
    case storageLow(needed: Int64?, available: Int64, resume: ResumePoint?)
    /// The server wants a login, there is none that it takes, and the specification asks for credentials. Never empty; all
    /// of one server.
    case challenged([AuthenticationChallenge], resume: ResumePoint?)
    /// It failed.
    case failed(TransferFailure, resume: ResumePoint?)
}

/// A complete answer.
public struct TransferCompletion: Hashable, Sendable, Codable {
    /// The HTTP status.
    public var status: Int
    /// The finished file; nil where an error's body was dropped, and for an upload.
    public var file: CompletedFile?
    /// What the server answered an upload with; nil for a download, and where a status was final only after retries.
    public var answer: ServerAnswer?
    /// True when an earlier run's file was found to be still the server's, so nothing was fetched.
    public var wasAlreadyComplete: Bool
    /// The head of the answer, where the specification asks for it (``TransferSpecification/keepsAnswerHead``).
    public var response: AnswerHead?

    /// A completion.
    public init(
        status: Int, file: CompletedFile?, wasAlreadyComplete: Bool = false, answer: ServerAnswer? = nil,
        response: AnswerHead? = nil
    ) {
        self.status = status
        self.file = file
        self.answer = answer
        self.response = response
        self.wasAlreadyComplete = wasAlreadyComplete
    }
}

/// The head of a server's final answer, after all redirects.
public struct AnswerHead: Hashable, Sendable, Codable {
    /// The address that answered, without user and password.
    public var url: String
    /// Its fields, in order, without `Set-Cookie`.
    public var headers: [HeaderField]

    /// A head.
    public init(url: String, headers: [HeaderField]) {
        self.url = url
        self.headers = headers
    }
}
