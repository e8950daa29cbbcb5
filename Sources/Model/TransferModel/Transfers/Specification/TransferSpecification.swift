// SPDX-License-Identifier: Apache-2.0

/// A complete description of a transfer, as submitted. The store keeps it, and the executor reads it.
///
/// ```swift
/// let specification = TransferSpecification(
///     url: "https://example.org/file.iso", destination: Destination(directory: "/srv/downloads", name: nil),
///     traits: TransferTraits(kind: .discretionary))
/// ```
///
/// ## Topics
///
/// ### Request
///
/// - ``url``
/// - ``mirrors``
/// - ``headers``
/// - ``cookies``
/// - ``credential``
/// - ``asksForCredentials``
/// - ``challengeResponses``
/// - ``allowsInsecureRedirect``
/// - ``acceptsAnyCertificate``
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
/// - ``acceptsWebPages``
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
/// ### Redaction
///
/// - ``redacted``
public struct TransferSpecification: Hashable, Sendable, Codable {
    /// The http or https URL.
    public var url: String
    /// The header fields to send, in order. They may contain secrets: they are never logged, and are removed from the
    /// store when the transfer ends.
    public var headers: [HeaderField]
    /// The cookies of the URL's own server, with the paths that they are meant for. A secret like `headers`.
    ///
    /// Each request carries the cookies that are meant for its own URL, also after a redirect to another path of the
    /// server. A request to another origin carries none. A header field `Cookie` takes their place. `nil` if there are none.
    public var cookies: [Cookie]?
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
    /// A Boolean value that indicates whether the certificates of servers are not verified. The default is `false`.
    ///
    /// Anyone on the way to the server can then read and change what is transferred. Other transfers of the executor
    /// are not affected. `URLSessionTransport` verifies certificates nevertheless.
    public var acceptsAnyCertificate: Bool {
        get { unverified ?? false }
        set { unverified = newValue ? true : nil }
    }
    /// A Boolean value that indicates whether a web page is accepted although it contradicts what is known of the file.
    /// The default is `false`.
    ///
    /// A network that requires a login sends its login page in place of any file.
    public var acceptsWebPages: Bool {
        get { webPages ?? false }
        set { webPages = newValue ? true : nil }
    }
    /// A Boolean value that indicates whether ``redacted`` removed something without which the request would be another.
    ///
    /// The store removes possible secrets after the end of a transfer. A request that lost some of them cannot be
    /// repeated.
    public internal(set) var isIncomplete: Bool {
        get { incomplete ?? false }
        set { incomplete = newValue ? true : nil }
    }
    /// A Boolean value that indicates whether ``redacted`` removed something other than parts of URLs.
    package internal(set) var lacksFields: Bool {
        get { fieldless ?? false }
        set { fieldless = newValue ? true : nil }
    }
    // Optional, because stored rows of earlier versions lack these fields.
    private var fieldless: Bool?
    private var incomplete, sandboxed, hidesFile, keepsHead, asks, unverified, webPages: Bool?
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
        get { min(max(connectionLimit ?? 1, 1), ConnectionCount.range.upperBound) }
        set { connectionLimit = newValue > 1 ? min(newValue, ConnectionCount.range.upperBound) : nil }
    }
    /// Stored only if the value is not 1, which is the value of earlier versions.
    private var connectionLimit: Int?
    /// Other URLs of the same file, tried in order after ``url``, or `nil` if there are none.
    public var mirrors: MirrorList?
    /// The program that the daemon starts after the transfer, and its arguments, or `nil` for none.
    ///
    /// The engine itself starts nothing.
    public var onComplete: [String]?
    /// The properties that scheduling decisions use.
    public var traits: TransferTraits

    private enum CodingKeys: String, CodingKey {
        case fieldless
        case url, headers, credential, incomplete, sandboxed, hidesFile, keepsHead, asks, unverified, webPages
        case cookies
        case responses = "answers"
        case destination, body, upload, checksum, idleTimeoutSeconds, allowsInsecureRedirect, usesRemoteTime
        case keepsErrorBody, maximumBytes, rateLimit, completedBefore, connectionLimit, onComplete, traits
        case mirrors
    }

    /// Creates an upload. The defaults describe a simple upload by a user.
    public init(
        url: String, headers: [HeaderField] = [], upload: UploadSource, idleTimeoutSeconds: Int = 60,
        allowsInsecureRedirect: Bool = false, rateLimit: Int64? = nil, traits: TransferTraits = TransferTraits()
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
        completedBefore: CompletedFile? = nil, traits: TransferTraits = TransferTraits()
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
            && connectionLimit == nil && onComplete == nil && destination.folderIdentity == nil && hidesFile == nil
            && incomplete == nil && fieldless == nil && unverified == nil && webPages == nil && cookies == nil
            && mirrors == nil
    }
}

/// The numbers of connections that a transfer may use.
public enum ConnectionCount {
    /// The permitted values of ``TransferSpecification/connections``.
    public static let range = 1...16
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
