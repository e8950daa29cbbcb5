// SPDX-License-Identifier: Apache-2.0

/// The status of a transfer, as shown in lists and by monitoring programs. A status contains no secrets.
///
/// ## Topics
///
/// ### Identity
///
/// - ``id``
/// - ``url``
/// - ``name``
/// - ``app``
/// - ``session``
/// - ``isUpload``
/// - ``submitted``
///
/// ### Urgency
///
/// - ``kind``
/// - ``priority``
/// - ``deadline``
/// - ``deadlineState``
///
/// ### Progress
///
/// - ``state``
/// - ``bytes``
/// - ``total``
/// - ``rate``
/// - ``attempt``
/// - ``sentence``
///
/// ### Result
///
/// - ``path``
/// - ``status``
/// - ``errorCode``
/// - ``error``
public struct TransferStatus: Hashable, Sendable, Codable {
    /// The state of a transfer.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// The transfer waits for its conditions, for a slot, or for the next attempt.
        case waiting
        /// An attempt is running.
        case running
        /// The transfer is paused.
        case paused
        /// The transfer ended successfully.
        case finished
        /// The transfer ended without success.
        case failed
        /// The transfer was canceled.
        case cancelled

        /// A Boolean value that indicates whether the transfer has ended.
        public var isEnded: Bool { self == .finished || self == .failed || self == .cancelled }

        /// The name of the state in messages to users.
        package var displayName: String { self == .cancelled ? "canceled" : rawValue }
    }

    /// The identifier of the transfer.
    public var id: TransferID
    /// The URL without user, password, query, and fragment.
    public var url: String
    /// The name of the transfer, as shown to users.
    public var name: String
    /// The app that owns the transfer.
    public var app: String
    /// The session of the app, or `nil` if the transfer belongs to no session.
    public var session: String?
    /// A Boolean value that indicates whether the transfer is an upload.
    public var isUpload: Bool
    /// The kind of work, which determines the urgency.
    public var kind: WorkKind
    /// The priority, 0…1000. Higher values run first.
    public var priority: Int
    /// The state of the transfer.
    public var state: State
    /// The number of bytes transferred so far.
    public var bytes: Int64
    /// The total number of bytes, or `nil` if unknown.
    public var total: Int64?
    /// The rate in bytes per second, or `nil` if the transfer is not running or has not been measured.
    public var rate: Int64?
    /// The number of the current or last attempt, or 0 before the first attempt since the daemon's start.
    public var attempt: Int
    /// The date of the submission.
    public var submitted: WallTime
    /// The date by which the transfer should end, or `nil` without a deadline.
    public var deadline: WallTime?
    /// The danger to the deadline that was reported, or `nil` if there was none.
    public var deadlineState: DeadlineState?
    /// The reason for the wait, or the outcome, in one sentence. The value is `nil` if the caller did not request the
    /// sentence.
    public var sentence: String?
    /// The path of the downloaded file, or of the file to upload.
    public var path: String?
    /// The HTTP status of the server's last response, after the transfer has ended.
    public var status: Int?
    /// The code of the error.
    public var errorCode: String?
    /// A description of the error, for users.
    public var error: String?

    /// Creates a status with no progress and no result.
    public init(
        id: TransferID, url: String, name: String, app: String, session: String? = nil, isUpload: Bool, kind: WorkKind,
        priority: Int, state: State, submitted: WallTime
    ) {
        self.id = id
        self.url = url
        self.name = name
        self.app = app
        self.session = session
        self.isUpload = isUpload
        self.kind = kind
        self.priority = priority
        self.state = state
        self.submitted = submitted
        bytes = 0
        attempt = 0
    }
}

/// The outlook of a transfer on its deadline. Each state is reported once.
public enum DeadlineState: String, Hashable, Sendable, Codable, CaseIterable {
    /// The transfer can no longer finish by its deadline at the estimated rate.
    case atRisk
    /// The deadline has passed, and the transfer has not ended.
    case missed
}

/// The unique identifier of a transfer.
///
/// The store assigns identifiers in the order of submission and never reuses one. Core never creates new identifiers.
///
/// ```swift
/// let first = TransferID(1)
/// ```
public struct TransferID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The number of the transfer.
    public let rawValue: Int64

    /// Creates the identifier with the given number.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Decodes the identifier from a plain number.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the identifier as a plain number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The number in decimal notation.
    public var description: String { String(rawValue) }

    /// Orders identifiers by submission.
    public static func < (left: TransferID, right: TransferID) -> Bool { left.rawValue < right.rawValue }
}
