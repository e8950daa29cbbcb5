// SPDX-License-Identifier: Apache-2.0

/// All that is needed to carry a transfer out, as it was handed over: what the store keeps and the executor reads.
public struct TransferSpecification: Hashable, Sendable, Codable {
    /// The http or https URL.
    public var url: String
    /// Header fields to send, in order. May hold secrets: never logged, removed from the store when the transfer ends.
    public var headers: [HeaderField]
    /// User and password for the URL's own server; nil where there are none. A secret like `headers`.
    ///
    /// Over https they go with the first request, as Basic; over http only when the server asks, as Digest where it can.
    public var credential: Credential?
    /// Whether a server's demand for a login ends the attempt as `challenged`, for the app to answer; else 401 is final.
    public var asksForCredentials: Bool {
        get { asks ?? false }
        set { asks = newValue ? true : nil }
    }
    /// What the app said to challenges so far; at most one answer for each server. A secret like `headers`.
    public var answeredChallenges: [AnsweredChallenge] {
        get { answers ?? [] }
        set { answers = newValue.isEmpty ? nil : newValue }
    }
    /// Whether the completion has the answer's head.
    public var keepsAnswerHead: Bool {
        get { keepsHead ?? false }
        set { keepsHead = newValue ? true : nil }
    }
    /// Whether the finished file is for its owner only: of mode 0600 in a folder of mode 0700, whatever the umask.
    ///
    /// Default false: the file gets the mode that new files have by the umask.
    public var isPrivate: Bool {
        get { hidesFile ?? false }
        set { hidesFile = newValue ? true : nil }
    }
    /// Whether a program in a sandbox asked for the transfer: no process serves it together with those of others.
    public var isSandboxed: Bool {
        get { sandboxed ?? false }
        set { sandboxed = newValue ? true : nil }
    }
    // Optional, because rows of earlier versions have none of these.
    private var sandboxed: Bool?
    private var hidesFile: Bool?
    private var keepsHead: Bool?
    private var asks: Bool?
    private var answers: [AnsweredChallenge]?
    /// Where the finished file goes. Of no meaning for an upload.
    public var destination: Destination
    /// The file to send; nil for a download.
    public var upload: UploadSource?
    /// What the file's bytes must hash to.
    public var checksum: Checksum?
    /// Seconds without a byte after which an attempt fails; whole seconds, at least 1.
    public var idleTimeoutSeconds: Int
    /// Whether a redirect may lead from https to http.
    public var allowsInsecureRedirect: Bool
    /// Whether the file's modification time is set from `Last-Modified`.
    public var usesRemoteTime: Bool
    /// Whether the body of a 4xx or 5xx answer becomes the file (background sessions) or is dropped (`get`).
    public var keepsErrorBody: Bool
    /// More bytes than this are an error; nil is no limit.
    public var maximumBytes: Int64?
    /// Bytes a second that this transfer may take at most; nil is no limit of its own.
    public var rateLimit: Int64?
    /// A file that an earlier run finished: it is fetched again only if the server's has changed.
    public var completedBefore: CompletedFile?
    /// The most connections for this one file, 1…16: where the server serves ranges of a file whose version it names, a
    /// large one is fetched in pieces.
    ///
    /// Default 1; other numbers are taken as the nearest of these.
    public var connections: Int {
        get { min(max(connectionLimit ?? 1, 1), Self.mostConnections) }
        set { connectionLimit = newValue > 1 ? min(newValue, Self.mostConnections) : nil }
    }
    /// The largest number of connections for one file.
    public static let mostConnections = 16
    /// Stored only where it is not 1, which is what earlier versions knew.
    private var connectionLimit: Int?
    /// What the deciding code sees.
    public var traits: TransferTraits

    /// An upload; defaults are those of a person's plain one.
    public init(
        url: String, headers: [HeaderField] = [], upload: UploadSource, idleTimeoutSeconds: Int = 60,
        allowsInsecureRedirect: Bool = false, rateLimit: Int64? = nil, traits: TransferTraits
    ) {
        self.init(
            url: url, headers: headers, destination: Destination(directory: "/", name: nil),
            idleTimeoutSeconds: idleTimeoutSeconds, allowsInsecureRedirect: allowsInsecureRedirect,
            rateLimit: rateLimit, traits: traits)
        self.upload = upload
    }

    /// A download; defaults are those of a person's plain one.
    public init(
        url: String, headers: [HeaderField] = [], destination: Destination, checksum: Checksum? = nil,
        idleTimeoutSeconds: Int = 60, allowsInsecureRedirect: Bool = false, usesRemoteTime: Bool = false,
        keepsErrorBody: Bool = false, maximumBytes: Int64? = nil, rateLimit: Int64? = nil,
        completedBefore: CompletedFile? = nil, traits: TransferTraits
    ) {
        self.url = url
        self.headers = headers
        self.destination = destination
        self.checksum = checksum
        self.idleTimeoutSeconds = max(1, idleTimeoutSeconds)
        self.allowsInsecureRedirect = allowsInsecureRedirect
        self.usesRemoteTime = usesRemoteTime
        self.keepsErrorBody = keepsErrorBody
        self.maximumBytes = maximumBytes
        self.rateLimit = rateLimit
        self.completedBefore = completedBefore
        self.traits = traits
    }

    /// Whether all but the URL, the destination and the traits is as by default, so that a store need not keep it.
    ///
    /// Looks at one field after the other: to compare whole specifications would cost a copy of each transfer.
    public var isPlain: Bool {
        headers.isEmpty && credential == nil && sandboxed == nil && keepsHead == nil && asks == nil && answers == nil
            && upload == nil && checksum == nil && idleTimeoutSeconds == 60 && !allowsInsecureRedirect
            && !usesRemoteTime && !keepsErrorBody && maximumBytes == nil && rateLimit == nil && completedBefore == nil
            && connectionLimit == nil && destination.folderIdentity == nil && hidesFile == nil
    }
}

/// One header field.
public struct HeaderField: Hashable, Sendable, Codable {
    /// The field's name.
    public var name: String
    /// The field's value.
    public var value: String

    /// A field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// Where a finished file goes, and what happens when something is there already.
public struct Destination: Hashable, Sendable, Codable {
    /// What to do with a file that has the name already.
    public enum Collision: String, Hashable, Sendable, Codable, CaseIterable {
        /// Keep it and call ours `name (1).ext`, as browsers do.
        case rename
        /// Replace it, atomically. Where only the server names the file (`Content-Disposition`, or a redirect's target), and
        /// calls it otherwise than the transfer's URL does, nothing is replaced: the file is renamed as by `rename`.
        case overwrite
        /// Keep it and fail.
        case fail
    }

    /// The folder's absolute path.
    public var directory: String
    /// The file's name; nil takes the server's (`Content-Disposition`, else the URL's), made safe.
    public var name: String?
    /// What to do with a file that has the name already.
    public var collision: Collision
    /// The folder that must be found at `directory`; nil takes whatever folder is there, and makes one where none is.
    ///
    /// Set for a folder that an app passed as a descriptor: nobody can have another folder used by moving this one away.
    public var folderIdentity: FolderIdentity?

    /// A destination.
    public init(
        directory: String, name: String?, collision: Collision = .rename, folderIdentity: FolderIdentity? = nil
    ) {
        self.directory = directory
        self.name = name
        self.collision = collision
        self.folderIdentity = folderIdentity
    }
}

/// A digest that a file must have.
public struct Checksum: Hashable, Sendable, Codable {
    /// The hash functions offered.
    public enum Algorithm: String, Hashable, Sendable, Codable, CaseIterable {
        /// SHA-256: 64 hexadecimal digits.
        case sha256
        /// SHA-512: 128 hexadecimal digits.
        case sha512
    }

    /// The hash function.
    public var algorithm: Algorithm
    /// The digest in lower-case hexadecimal.
    public var hexDigest: String

    /// A checksum; the digest is put in lower case.
    public init(algorithm: Algorithm, hexDigest: String) {
        self.algorithm = algorithm
        self.hexDigest = hexDigest.lowercased()
    }
}

/// What names one version of a server's file (RFC 9110 §8.8).
public struct Validator: Hashable, Sendable, Codable {
    /// The entity tag as sent, quotes and `W/` included.
    public var entityTag: String?
    /// The `Last-Modified` field as sent.
    public var lastModified: String?

    /// A validator from the two fields.
    public init(entityTag: String?, lastModified: String?) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}

/// A partial file, here or on a server, and what is needed to continue it.
public struct ResumePoint: Hashable, Sendable, Codable {
    /// The partial file's absolute path; "" for an upload, which leaves nothing here.
    public var path: String
    /// How many bytes from the beginning are durably on disk; of an upload, how many the server has said it has.
    public var offset: Int64
    /// The size of the file; nil when unknown.
    public var total: Int64?
    /// Which version of the server's file the bytes belong to; nil forbids continuing.
    public var validator: Validator?
    /// The boot in which it was written: within it, a longer tail of the file counts too.
    public var bootID: String
    /// The partial file's inode. A crash between the rename to the final name and its record leaves no partial file:
    /// the finished one is then known by this number.
    public var fileNumber: UInt64?
    /// Where an upload goes on; nil for a download.
    public var upload: UploadResume?
    /// Further pieces beyond `offset` that are durably on disk, in order. Where this is not nil, not even if it is empty, the
    /// file may have holes: its length says nothing then, in the same boot either.
    public var extents: [Extent]?

    /// Where an upload goes on: the server has `offset` bytes of `total`.
    public init(upload: UploadResume, offset: Int64, total: Int64) {
        self.init(path: "", offset: offset, total: total, validator: nil, bootID: "")
        self.upload = upload
    }

    /// A partial file.
    public init(
        path: String, offset: Int64, total: Int64?, validator: Validator?, bootID: String, fileNumber: UInt64? = nil,
        extents: [Extent]? = nil
    ) {
        self.path = path
        self.fileNumber = fileNumber
        self.offset = offset
        self.total = total
        self.validator = validator
        self.bootID = bootID
        self.extents = extents
    }

    /// How many bytes are durably on disk in all.
    public var bytes: Int64 { (extents ?? []).reduce(offset) { $0 + max(0, $1.end - $1.start) } }
}

/// A piece of a file.
public struct Extent: Hashable, Sendable, Codable {
    /// Its first byte.
    public var start: Int64
    /// The byte behind its last.
    public var end: Int64

    /// A piece.
    public init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }
}

/// A file that was finished, as it was then.
public struct CompletedFile: Hashable, Sendable, Codable {
    /// Its absolute path.
    public var path: String
    /// Its size in bytes.
    public var bytes: Int64
    /// Its modification time in nanoseconds since 1970.
    public var modified: Int64
    /// Which version of the server's file it is.
    public var validator: Validator?

    /// A finished file.
    public init(path: String, bytes: Int64, modified: Int64, validator: Validator?) {
        self.path = path
        self.bytes = bytes
        self.modified = modified
        self.validator = validator
    }
}
