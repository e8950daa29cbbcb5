// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A request as it is to be sent.
struct RequestHead: Hashable, Sendable {
    var url: String
    var fields: [HeaderField]
    var method = "GET"
    /// Which bytes of the file to upload are the body; nil for none.
    var body: Range<Int64>?

    func value(_ name: String) -> String? { fields.firstValue(name) }
}

/// The head of an answer as it came.
struct ResponseHead: Hashable, Sendable {
    var status: Int
    var fields: [HeaderField]

    func value(_ name: String) -> String? { fields.firstValue(name) }

    /// The length in `Content-Length`; nil where there is none or it makes no sense.
    ///
    /// The same length several times over counts as one (RFC 9110 §8.6).
    var contentLength: Int64? {
        guard let text = value("Content-Length") else { return nil }
        let lengths = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(Self.length))
        guard lengths.count == 1, let length = lengths.first else { return nil }
        return length
    }

    /// Whether there is a `Content-Length` that counts and cannot be: no number, or more than any file has.
    var hasImpossibleLength: Bool {
        value("Content-Length") != nil && value("Transfer-Encoding") == nil && contentLength == nil
    }

    /// More bytes than this no file has: up to here JSON and doubles count exactly.
    static let largestLength: Int64 = 1 << 53

    private static func length(_ text: Substring) -> Int64? {
        let digits = text.filter { $0 != " " && $0 != "\t" }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int64(digits),
            length <= largestLength
        else { return nil }
        return length
    }

    /// Whether the body was put into pieces in a way that was not asked for and is not undone here.
    ///
    /// libcurl undoes the chunks and hands on what is inside.
    var hasUnknownTransferCoding: Bool {
        let codings = value("Transfer-Encoding")?.lowercased().split { $0 == "," || $0.isWhitespace } ?? []
        return codings.contains { $0 != "chunked" && $0 != "identity" }
    }

    /// Whether the body is something else than the file's own bytes.
    var isEncoded: Bool {
        guard let coding = value("Content-Encoding")?.lowercased() else { return false }
        return !coding.isEmpty && coding != "identity"
    }

    /// The media type without its parameters, in lower case.
    var mediaType: String {
        let type = value("Content-Type") ?? ""
        return type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    }
}

extension [HeaderField] {
    func firstValue(_ name: String) -> String? {
        let wanted = name.lowercased()
        return first { $0.name.lowercased() == wanted }?.value
    }

    func without(_ names: Set<String>) -> [HeaderField] { filter { !names.contains($0.name.lowercased()) } }
}

extension ResponseHead {
    /// A status after which the server may do better later, as a failure with the time it asks for.
    func failureThatMayPass(host: String, now: Int64) -> TransferFailure {
        let wait = HTTPDate.retryAfterSeconds(value("Retry-After"), now: now)
        let asked = wait.map { " and asks to wait \($0) s" } ?? ""
        return TransferFailure(
            cause: .status(status), message: "\(host) answered \(status)\(asked).", retryAfterSeconds: wait)
    }
}

extension ServerFile {
    init(_ head: ResponseHead, from url: String, total: Int64?) {
        self.init(
            url: url, status: head.status, total: total, version: head.version, continuing: head.continuingVersion,
            disposition: head.value("Content-Disposition"), lastModified: head.value("Last-Modified"),
            mediaType: head.mediaType)
    }
}
