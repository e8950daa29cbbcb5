// SPDX-License-Identifier: Apache-2.0

/// The file that an upload sends, as it was when the upload was handed over.
///
/// A file that has another size or time since is not sent: the server would get half of one and half of another.
public struct UploadSource: Hashable, Sendable, Codable {
    /// How the bytes are sent.
    public enum Method: String, Hashable, Sendable, Codable, CaseIterable {
        /// Put at the URL itself. Safe to repeat.
        case put = "PUT"
        /// Handed to the URL. A repetition after a lost answer may be taken as a second upload.
        case post = "POST"
    }

    /// Whether an interrupted upload may go on in the middle.
    public enum Resumption: String, Hashable, Sendable, Codable {
        /// Where the server offers it: tus 1.0 (for POST), or the IETF's draft of resumable uploads.
        case automatic
        /// One plain request; an interrupted upload starts over.
        case never
    }

    /// How the bytes are sent.
    public var method: Method
    /// The file's absolute path.
    public var path: String
    /// Its size in bytes.
    public var size: Int64
    /// Its modification time in nanoseconds since 1970.
    public var modified: Int64
    /// `Content-Type` of the bytes; nil sends none, unless the header fields have one.
    public var contentType: String?
    /// Whether an interrupted upload may go on in the middle.
    public var resumption: Resumption
    /// The path of the app's own file if `path` is a link or a copy that was made of it; nil if `path` is that file.
    ///
    /// People are shown this path, and servers its last part. Nothing is read from there.
    public var origin: String?
    /// The path by which people know the file: `origin`, else `path`.
    public var shownPath: String { origin ?? path }

    /// A source.
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

/// Where an interrupted upload goes on: a resource on the server that holds what came so far.
public struct UploadResume: Hashable, Sendable, Codable {
    /// The protocols of resumable uploads.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// tus 1.0 (https://tus.io/protocols/resumable-upload).
        case tus
        /// draft-ietf-httpbis-resumable-upload, interop version 8.
        case draft
    }

    /// Which protocol the resource speaks.
    public var kind: Kind
    /// The resource's URL. Who knows it may write there: treat it as a secret.
    public var url: String
    /// The modification time of the file whose bytes are there, in nanoseconds since 1970: another file's do not follow.
    public var modified: Int64

    /// A place to go on.
    public init(kind: Kind, url: String, modified: Int64) {
        self.kind = kind
        self.url = url
        self.modified = modified
    }
}

/// What a server answered an upload with, beside the status.
public struct ServerAnswer: Hashable, Sendable {
    /// More of a body is not kept: 1 MiB.
    public static let largestBody = 1 << 20

    /// The body, or its beginning.
    public var body: [UInt8]
    /// `Content-Type` as sent.
    public var contentType: String?
    /// Whether the body was longer, or ended early.
    public var isCut: Bool

    /// An answer; what is beyond `largestBody` is left out.
    public init(body: [UInt8], contentType: String?, isCut: Bool = false) {
        self.body = Array(body.prefix(Self.largestBody))
        self.contentType = contentType
        self.isCut = isCut || body.count > Self.largestBody
    }
}

extension ServerAnswer: Codable {
    private enum CodingKeys: String, CodingKey {
        case text
        case latin1
        case contentType
        case isCut
    }

    /// Reads what `encode` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            body = Array(text.utf8)
        } else {
            // A letter for each byte; what is no letter of that alphabet was not written by us.
            let text = try container.decode(String.self, forKey: .latin1)
            body = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
        contentType = try container.decodeIfPresent(String.self, forKey: .contentType)
        isCut = try container.decode(Bool.self, forKey: .isCut)
    }

    /// Text is written as it is, other bytes as one letter each: an array of numbers would be four times as long.
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
