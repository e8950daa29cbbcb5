// SPDX-License-Identifier: Apache-2.0

/// A complete description of a transfer, as submitted. The store keeps it, and the executor reads it.
///
/// ```swift
/// let traits = TransferTraits(kind: .discretionary, host: "https://example.org:443", submitted: now)
/// let specification = TransferSpecification(
///     url: "https://example.org/file.iso",
///     destination: Destination(directory: "/srv/downloads", name: nil), traits: traits)
/// ```
///
/// ## Topics
///
/// ### Request
///
/// - ``url``
/// - ``headers``
/// - ``credential``
/// - ``asksForCredentials``
/// - ``challengeResponses``
/// - ``allowsInsecureRedirect``
/// - ``idleTimeoutSeconds``
/// - ``connections``
/// - ``rateLimit``
///
/// ### Result
///
/// - ``destination``
/// - ``checksum``
/// - ``isPrivate``
/// - ``usesRemoteTime``
/// - ``keepsErrorBody``
/// - ``keepsResponseHead``
/// - ``maximumBytes``
/// - ``completedBefore``
///
/// ### Uploads
///
/// - ``upload``
///
/// ### Scheduling
///
/// - ``traits``
/// - ``isSandboxed``
/// - ``isPlain``
///
/// ### Names and redaction
///
/// - ``displayName``
/// - ``redacted``
/// - ``redacted(url:)``
public struct TransferSpecification: Hashable, Sendable, Codable {
    /// The http or https URL.
    public var url: String
    /// The header fields to send, in order. They may contain secrets: they are never logged, and are removed from the
    /// store when the transfer ends.
    public var headers: [HeaderField]
    /// The user name and password for the URL's own server, or `nil` if there are none. A secret like `headers`.
    ///
    /// Over https, the first request carries the credential, as Basic authentication. Over http, a request carries the
    /// credential only if the server requests it, as Digest authentication if possible.
    public var credential: Credential?
    /// A Boolean value that indicates whether a server's login request ends the attempt as `challenged`, for the app to
    /// handle.
    ///
    /// If the value is `false`, a 401 response is final.
    public var asksForCredentials: Bool {
        get { asks ?? false }
        set { asks = newValue ? true : nil }
    }
    /// The app's responses to challenges so far, at most one for each server. A secret like `headers`.
    public var challengeResponses: [StoredChallengeResponse] {
        get { responses ?? [] }
        set { responses = newValue.isEmpty ? nil : newValue }
    }
    /// A Boolean value that indicates whether the completion includes the head of the server's response.
    public var keepsResponseHead: Bool {
        get { keepsHead ?? false }
        set { keepsHead = newValue ? true : nil }
    }
    /// A Boolean value that indicates whether only the owner can access the finished file.
    ///
    /// If `true`, the file has mode 0600 in a folder of mode 0700, regardless of the umask. The default is `false`:
    /// the file has the mode of new files according to the umask.
    public var isPrivate: Bool {
        get { hidesFile ?? false }
        set { hidesFile = newValue ? true : nil }
    }
    /// A Boolean value that indicates whether a sandboxed program requested the transfer.
    ///
    /// A worker process that serves the transfer serves no transfers of other apps.
    public var isSandboxed: Bool {
        get { sandboxed ?? false }
        set { sandboxed = newValue ? true : nil }
    }
    // Optional, because stored rows of earlier versions lack these fields.
    private var sandboxed: Bool?
    private var hidesFile: Bool?
    private var keepsHead: Bool?
    private var asks: Bool?
    private var responses: [StoredChallengeResponse]?
    /// The destination of the finished file. Meaningless for an upload.
    public var destination: Destination
    /// The method and the body of a download whose method is not GET. `nil` for GET and for an upload.
    ///
    /// The body is a secret, as the fields of `headers` are.
    public var body: RequestBody?
    /// The file to upload, or `nil` for a download.
    public var upload: UploadSource?
    /// The checksum that the file must have, or `nil` if none is required.
    public var checksum: Checksum?
    /// The time without a byte after which an attempt fails, in whole seconds, at least 1. The default is 60.
    public var idleTimeoutSeconds: Int
    /// A Boolean value that indicates whether a redirect may lead from https to http. The default is `false`.
    public var allowsInsecureRedirect: Bool
    /// A Boolean value that indicates whether the file's modification time is set from `Last-Modified`. The default
    /// is `false`.
    public var usesRemoteTime: Bool
    /// A Boolean value that indicates whether the body of a 4xx or 5xx response becomes the file. The default is
    /// `false`.
    ///
    /// Background sessions keep such a body; `get` drops it.
    public var keepsErrorBody: Bool
    /// The maximum number of bytes of a download, or `nil` for no limit. More bytes are an error.
    public var maximumBytes: Int64?
    /// The maximum rate of the transfer in bytes per second, or `nil` for no individual limit. Values below 1 count as
    /// 1.
    public var rateLimit: Int64?
    /// A file that an earlier run finished. The file is fetched again only if the server's file has changed.
    public var completedBefore: CompletedFile?
    /// The maximum number of connections for this file, 1…16. The default is 1, and other values are clamped to the
    /// range.
    ///
    /// A large file is fetched in pieces if the server supports range requests and identifies the version of the
    /// file.
    public var connections: Int {
        get { min(max(connectionLimit ?? 1, 1), Self.maximumConnections) }
        set { connectionLimit = newValue > 1 ? min(newValue, Self.maximumConnections) : nil }
    }
    /// The largest permitted value of ``connections``.
    public static let maximumConnections = 16
    /// Stored only if the value is not 1, which is the value of earlier versions.
    private var connectionLimit: Int?
    /// The properties that scheduling decisions use.
    public var traits: TransferTraits

    private enum CodingKeys: String, CodingKey {
        case url, headers, credential, sandboxed, hidesFile, keepsHead, asks
        case responses = "answers"
        case destination, body, upload, checksum, idleTimeoutSeconds, allowsInsecureRedirect, usesRemoteTime
        case keepsErrorBody, maximumBytes, rateLimit, completedBefore, connectionLimit, traits
    }

    /// Creates an upload. The defaults describe a simple upload by a user.
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

    /// Creates a download. The defaults describe a simple download by a user.
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

    /// A Boolean value that indicates whether all fields except the URL, the destination, and the traits have default
    /// values.
    ///
    /// A store need not keep the fields of a plain transfer. The comparison is field by field, because comparing
    /// whole specifications would copy each transfer.
    public var isPlain: Bool {
        headers.isEmpty && credential == nil && sandboxed == nil && keepsHead == nil && asks == nil && responses == nil
            && body == nil && upload == nil && checksum == nil && idleTimeoutSeconds == 60 && !allowsInsecureRedirect
            && !usesRemoteTime && !keepsErrorBody && maximumBytes == nil && rateLimit == nil && completedBefore == nil
            && connectionLimit == nil && destination.folderIdentity == nil && hidesFile == nil
    }
}

/// A header field of a request.
public struct HeaderField: Hashable, Sendable, Codable {
    /// The name of the field.
    public var name: String
    /// The value of the field.
    public var value: String

    /// Creates a header field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The location of a finished file, and the rule for an existing file of the same name.
///
/// ```swift
/// let destination = Destination(directory: "/srv/downloads", name: "file.iso", collision: .overwrite)
/// ```
public struct Destination: Hashable, Sendable, Codable {
    /// The rule for an existing file of the same name.
    public enum Collision: String, Hashable, Sendable, Codable, CaseIterable {
        /// Keeps the existing file, and names the new file `name (1).ext`, as browsers do.
        case rename
        /// Replaces the existing file, atomically.
        ///
        /// Nothing is replaced if only the server names the file (`Content-Disposition`, or a redirect's target) and
        /// the name differs from the one in the transfer's URL. The new file is then renamed as by `rename`.
        case overwrite
        /// Keeps the existing file, and fails.
        case fail
    }

    /// The absolute path of the folder.
    public var directory: String
    /// The name of the file, or `nil` for the server's name (`Content-Disposition`, or else the URL's), made safe.
    public var name: String?
    /// The rule for an existing file of the same name. The default is `rename`.
    public var collision: Collision
    /// The identity of the folder that must exist at `directory`, or `nil` for any folder. With `nil`, a missing
    /// folder is created.
    ///
    /// The identity is set for a folder that an app passed as a descriptor. Moving that folder away cannot redirect
    /// the file into another folder.
    public var folderIdentity: FolderIdentity?

    /// Creates a destination.
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
///
/// ```swift
/// let checksum = try Checksum(parsing: "sha256:\(hexDigest)")
/// ```
public struct Checksum: Hashable, Sendable, Codable {
    /// The supported hash functions.
    public enum Algorithm: String, Hashable, Sendable, Codable, CaseIterable {
        /// SHA-256, with 64 hexadecimal digits.
        case sha256
        /// SHA-512, with 128 hexadecimal digits.
        case sha512
    }

    /// The hash function.
    public var algorithm: Algorithm
    /// The digest in lowercase hexadecimal.
    public var hexDigest: String

    /// Creates a checksum. The digest is converted to lowercase.
    public init(algorithm: Algorithm, hexDigest: String) {
        self.algorithm = algorithm
        self.hexDigest = hexDigest.lowercased()
    }
}
