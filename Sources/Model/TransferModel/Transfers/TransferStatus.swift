// SPDX-License-Identifier: Apache-2.0

/// The state of a transfer, as lists and programs that watch show it. Holds no secret.
public struct TransferStatus: Hashable, Sendable, Codable {
    /// What it is doing.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// For its conditions, a slot or the time after a failure.
        case waiting
        /// Bytes may come.
        case running
        /// Somebody paused it.
        case paused
        /// Over, with what was asked for.
        case finished
        /// Over, without it.
        case failed
        /// Over, because somebody asked for that.
        case cancelled

        /// Whether nothing more will happen.
        public var isOver: Bool { self == .finished || self == .failed || self == .cancelled }
    }

    /// Its number.
    public var id: TransferID
    /// Its URL without user, password, query and fragment.
    public var url: String
    /// What a person knows it by.
    public var name: String
    /// The app that it belongs to.
    public var app: String
    /// The app's session; nil where it belongs to none.
    public var session: String?
    /// Whether it is an upload.
    public var isUpload: Bool
    /// How urgent it is.
    public var kind: WorkKind
    /// 0…1000, higher first.
    public var priority: Int
    /// What it is doing.
    public var state: State
    /// Bytes so far.
    public var bytes: Int64
    /// All of them; nil where that is not known.
    public var total: Int64?
    /// Bytes a second; nil where it does not run or nothing was measured yet.
    public var rate: Int64?
    /// The attempt that runs or ran last; 0 before the first since the daemon's start.
    public var attempt: Int
    /// When it was handed over.
    public var submitted: WallTime
    /// Why it waits, or how it ended; nil where nobody asked.
    public var sentence: String?
    /// Where the file lies; of an upload, where it comes from.
    public var path: String?
    /// The HTTP status of the server's last answer, once the transfer has ended.
    public var status: Int?
    /// The kind of error.
    public var errorCode: String?
    /// A description of the error, for people.
    public var error: String?

    /// How a transfer stands.
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
