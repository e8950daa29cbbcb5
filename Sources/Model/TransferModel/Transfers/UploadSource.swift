// SPDX-License-Identifier: Apache-2.0

/// The file that an upload sends, as it was at submission.
///
/// If the file's size or modification time has changed, the file is not sent. The server would otherwise receive
/// parts of two versions.
///
/// ```swift
/// let source = UploadSource(path: "/srv/files/photo.jpg", size: 2_400_000, modified: 1_774_746_000_000_000_000)
/// ```
public struct UploadSource: Hashable, Sendable, Codable {
    /// The HTTP method that sends the bytes.
    public enum Method: String, Hashable, Sendable, Codable, CaseIterable {
        /// The file is stored at the URL itself. A repetition is safe.
        case put = "PUT"
        /// The file is submitted to the URL. If a response was lost, the server may treat a repetition as a second
        /// upload.
        case post = "POST"
        /// The file changes the resource at the URL. Only for apps. If a response is lost, the request is repeated, and
        /// the server may apply the change twice.
        case patch = "PATCH"
    }

    /// The rule for continuing an interrupted upload in the middle.
    public enum Resumption: String, Hashable, Sendable, Codable {
        /// Continues if the server supports it: tus 1.0 (for POST), or the IETF's draft of resumable uploads.
        case automatic
        /// Sends one plain request. An interrupted upload starts over.
        case never
    }

    /// The HTTP method that sends the bytes. The default is PUT.
    public var method: Method
    /// The absolute path of the file.
    public var path: String
    /// The size of the file in bytes.
    public var size: Int64
    /// The modification time in nanoseconds since 1970.
    public var modified: Int64
    /// The `Content-Type` of the bytes. With `nil`, no type is sent unless the header fields contain one.
    public var contentType: String?
    /// The rule for continuing an interrupted upload. The default is `automatic`.
    public var resumption: Resumption
    /// The path of the app's own file if `path` is a link or a copy of it, or `nil` if `path` is the file itself.
    ///
    /// Users see this path, and servers see its last component. Nothing is read from this path.
    public var origin: String?
    /// The path shown to users: `origin` if it is set, or else `path`.
    public var shownPath: String { origin ?? path }

    /// Creates a description of a file to upload.
    public init(
        method: Method = .put, path: String, size: Int64, modified: Int64, contentType: String? = nil,
        resumption: Resumption = .automatic, origin: String? = nil
    ) {
        self.method = method
        self.path = path
        self.size = size
        self.modified = modified
        self.contentType = contentType
        self.resumption = resumption
        self.origin = origin
    }
}

/// The position at which an interrupted upload continues: a resource on the server with the bytes received so far.
public struct UploadResume: Hashable, Sendable, Codable {
    /// The protocols for resumable uploads.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// tus 1.0 (https://tus.io/protocols/resumable-upload).
        case tus
        /// draft-ietf-httpbis-resumable-upload, interop version 8.
        case draft
    }

    /// The protocol of the resource.
    public var kind: Kind
    /// The URL of the resource. Any program with the URL can write to the resource, so treat the URL as a secret.
    public var url: String
    /// The modification time of the partly uploaded file, in nanoseconds since 1970. Bytes of another file must not
    /// follow.
    public var modified: Int64

    /// Creates a position at which an upload continues.
    public init(kind: Kind, url: String, modified: Int64) {
        self.kind = kind
        self.url = url
        self.modified = modified
    }
}

/// A server's response to an upload, in addition to the HTTP status.
public struct UploadResponse: Hashable, Sendable {
    /// The maximum size of a kept body: 1 MiB.
    public static let largestBody = 1 << 20

    /// The body, or the beginning of a longer body.
    public var body: [UInt8]
    /// The `Content-Type` field as sent.
    public var contentType: String?
    /// A Boolean value that indicates whether the kept body is incomplete: it was too long, or ended early.
    public var isCut: Bool

    /// Creates a response. Bytes of the body beyond `largestBody` are dropped.
    public init(body: [UInt8], contentType: String?, isCut: Bool = false) {
        self.body = Array(body.prefix(Self.largestBody))
        self.contentType = contentType
        self.isCut = isCut || body.count > Self.largestBody
    }
}

extension UploadResponse: Codable {
    private enum CodingKeys: String, CodingKey {
        case text
        case latin1
        case contentType
        case isCut
    }

    /// Decodes the format that `encode(to:)` writes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            body = Array(text.utf8)
        } else {
            // One character for each byte. Characters outside Latin-1 cannot come from `encode(to:)`.
            let text = try container.decode(String.self, forKey: .latin1)
            body = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
        contentType = try container.decodeIfPresent(String.self, forKey: .contentType)
        isCut = try container.decode(Bool.self, forKey: .isCut)
    }

    /// Encodes UTF-8 text as a string, and other bytes as one Latin-1 character each.
    ///
    /// An array of numbers would be four times as long.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let text = String(validating: body, as: UTF8.self) {
            try container.encode(text, forKey: .text)
        } else {
            let letters = String.UnicodeScalarView(body.map { Unicode.Scalar($0) })
            try container.encode(String(letters), forKey: .latin1)
        }
        try container.encodeIfPresent(contentType, forKey: .contentType)
        try container.encode(isCut, forKey: .isCut)
    }
}

/// The method and the body of a download whose method is not GET.
///
/// A download that has a body starts over after a failure, and the server receives the body again. After the response
/// 500, 502, or 504, the server may have acted. A POST or PATCH is then not repeated, and the response is the result.
///
/// ```swift
/// let query = RequestBody(method: "POST", bytes: Array("{}".utf8))
/// ```
public struct RequestBody: Hashable, Sendable, Codable {
    /// The HTTP method, such as `POST`.
    public var method: String
    /// The bytes of the body, at most ``longest``. The body is a secret, as the header fields are.
    public var bytes: [UInt8] {
        get { stored.bytes }
        set { stored.bytes = newValue }
    }
    private var stored: Base64Bytes

    /// The maximum number of bytes.
    public static let longest = 256 << 10
    /// The methods that a download may use.
    public static let methods: Set<String> = ["POST", "PUT", "PATCH", "DELETE"]

    /// Creates a body from its method and its bytes.
    public init(method: String, bytes: [UInt8]) {
        self.method = method
        stored = Base64Bytes(bytes)
    }

    private enum CodingKeys: String, CodingKey {
        case method
        case stored = "bytes"
    }
}
