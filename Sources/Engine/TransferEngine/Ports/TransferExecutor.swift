// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// An executor that moves the bytes of transfers. The engine decides what to transfer and when.
///
/// ``start(_:reporting:)``, ``stop(_:)``, and ``discard(_:)`` return immediately. Reports of an attempt arrive in
/// order and end with exactly one `ended`. Bytes of a stopped attempt never reach its successor. Calling `start`
/// before the transfer's previous attempt has ended is a programming error. Every implementation passes
/// `TransferExecutorContract` in TransferTesting.
public protocol TransferExecutor: Sendable {
    /// Starts an attempt.
    func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void)

    /// Stops the running attempt and keeps its bytes. Has no effect if no attempt runs.
    ///
    /// The bytes are synced and then reported as `ended(.stopped)`.
    func stop(_ id: TransferID)

    /// Removes the files that an ended transfer left, after its end has been saved. Safe to repeat.
    ///
    /// Removes the partial file, and the mark that shows that the file is complete. For an upload, removes the bytes
    /// on the server if the server supports the removal.
    func discard(_ job: TransferJob)

    /// Returns the number of bytes that can still be written for the partial and the finished file.
    ///
    /// The reserve of free space is already subtracted. Returns `nil` for an upload, which needs no space. The call
    /// may block while a mount hangs, so the engine never calls this method on its actor.
    func availableSpace(for specification: TransferSpecification) -> Int64?

    /// Stops every attempt and releases the network. Returns after all attempts have been reported as ended.
    func shutdown() async
}

/// One attempt at a transfer.
///
/// ```swift
/// let job = TransferJob(id: id, specification: specification, resume: nil)
/// ```
public struct TransferJob: Hashable, Sendable, Codable {
    /// The ID of the transfer.
    public var id: TransferID
    /// The request, the destination, and the requirements of the transfer.
    public var specification: TransferSpecification
    /// The point from which the attempt continues, or `nil` to begin at the first byte.
    public var resume: ResumePoint?

    /// Creates an attempt.
    public init(id: TransferID, specification: TransferSpecification, resume: ResumePoint?) {
        self.id = id
        self.specification = specification
        self.resume = resume
    }
}

/// A report of an executor about an attempt.
public enum ExecutorReport: Hashable, Sendable, Codable {
    /// The number of bytes so far, and the size if the size is known. Reported at most a few times a second.
    ///
    /// A download counts the bytes in the partial file. An upload counts the bytes passed to the network.
    case progressed(bytes: Int64, total: Int64?)
    /// The bytes that are durable. Reported after 8 MiB or 2 s, and before the end of an attempt that keeps its
    /// bytes.
    ///
    /// The first report precedes the body and contains the server's validator, so that the next run can continue
    /// after a crash. For an upload, the report contains the bytes that the server has, as soon as the server names
    /// the offset. If the server does not support resumption, an upload has no such report.
    case checkpointed(ResumePoint)
    /// The attempt starts again at byte 0, because the previous bytes were discarded.
    case restarted(RestartCause)
    /// The time from the attempt's first request to the head of the first response.
    ///
    /// Reported at most once per attempt, before the first checkpoint.
    case responded(after: Duration)
    /// The attempt ended.
    case ended(ExecutorOutcome)

    private enum CodingKeys: String, CodingKey {
        case progressed
        case checkpointed
        case restarted
        case responded = "answered"
        case ended
    }
}

/// The reason why an attempt starts again at byte 0.
public enum RestartCause: String, Hashable, Sendable, Codable, CaseIterable {
    /// The server does not support resumption, or names no version of its file.
    case notResumable
    /// The server's file has changed.
    case fileChanged
    /// Bytes of earlier attempts are missing: in the partial file, or at the server of an upload.
    case bytesMissing

    /// A sentence for the user.
    package var sentence: String {
        switch self {
        case .notResumable: "server cannot resume, starting over"
        case .fileChanged: "the file on the server has changed, starting over"
        case .bytesMissing: "bytes of the earlier attempt are missing, starting over"
        }
    }
}

/// The outcome of an attempt.
public enum ExecutorOutcome: Hashable, Sendable, Codable {
    /// The server sent a complete response.
    case finished(TransferCompletion)
    /// The attempt was stopped by the caller.
    case stopped(ResumePoint?)
    /// The disk has too little space. `needed` is the missing number of bytes for the rest of the file, or `nil` if
    /// unknown.
    case storageLow(needed: Int64?, available: Int64, resume: ResumePoint?)
    /// The server requires a login and accepts none of the known credentials, and the specification requests
    /// challenges.
    ///
    /// The array is never empty. All challenges are from one server.
    case challenged([AuthenticationChallenge], resume: ResumePoint?)
    /// The attempt failed.
    case failed(TransferFailure, resume: ResumePoint?)
}

/// A complete response of the server.
///
/// ```swift
/// report(.ended(.finished(TransferCompletion(status: 200, file: file))))
/// ```
public struct TransferCompletion: Hashable, Sendable, Codable {
    /// The HTTP status.
    public var status: Int
    /// The finished file. `nil` for an upload and if the body of an error was discarded.
    public var file: CompletedFile?
    /// The server's response to an upload. `nil` for a download and if a status became final only after retries.
    public var answer: UploadResponse?
    /// A Boolean value that indicates whether nothing was fetched, because an earlier run's file is still current.
    public var wasAlreadyComplete: Bool
    /// The head of the response, if the specification requests it (`TransferSpecification.keepsResponseHead`).
    public var response: FinalResponseHead?

    /// Creates a completion.
    public init(
        status: Int, file: CompletedFile?, wasAlreadyComplete: Bool = false, answer: UploadResponse? = nil,
        response: FinalResponseHead? = nil
    ) {
        self.status = status
        self.file = file
        self.answer = answer
        self.response = response
        self.wasAlreadyComplete = wasAlreadyComplete
    }
}

/// The head of a server's final response, after all redirects.
///
/// ```swift
/// let head = FinalResponseHead(url: "https://example.org/file", headers: [HeaderField(name: "ETag", value: "\"1\"")])
/// ```
public struct FinalResponseHead: Hashable, Sendable, Codable {
    /// The URL of the final response, without user and password.
    public var url: String
    /// The header fields, in order, without `Set-Cookie`.
    public var headers: [HeaderField]

    /// Creates a head.
    public init(url: String, headers: [HeaderField]) {
        self.url = url
        self.headers = headers
    }
}

extension TransferCompletion {
    /// A Boolean value that indicates whether the response is not the requested result.
    ///
    /// A download fails with a 4xx or 5xx status, or with any response that produced no file. An upload fails with any
    /// status except 2xx and 303. A 303 leads to a page about the accepted upload.
    public var isFailure: Bool {
        if answer != nil { return !(200..<300).contains(status) && status != 303 }
        return file == nil || status >= 400
    }
}
