// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
package import TransferModel

/// The head of a request.
package struct RequestHead: Hashable, Sendable {
    package var url: String
    package var fields: [HeaderField]
    package var method = "GET"
    /// The range of the uploaded file that forms the body. `nil` if the body is not part of a file.
    package var body: Range<Int64>?
    /// The body of a download's request. `nil` for a request without a body.
    package var content: [UInt8]?

    package func value(_ name: String) -> String? { fields.firstValue(name) }
}

/// The head of a response.
package struct ResponseHead: Hashable, Sendable {
    package var status: Int
    package var fields: [HeaderField]

    package init(status: Int, fields: [HeaderField]) {
        self.status = status
        self.fields = fields
    }

    func value(_ name: String) -> String? { fields.firstValue(name) }

    /// The length in `Content-Length`, or `nil` if the field is missing or invalid.
    ///
    /// A repeated equal length counts once (RFC 9110 §8.6).
    var contentLength: Int64? {
        guard let text = value("Content-Length") else { return nil }
        let lengths = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(Self.length))
        guard lengths.count == 1, let length = lengths.first else { return nil }
        return length
    }

    /// A Boolean value that indicates whether a relevant `Content-Length` is invalid: not a number, or larger than
    /// any file.
    var hasImpossibleLength: Bool {
        value("Content-Length") != nil && value("Transfer-Encoding") == nil && contentLength == nil
    }

    /// The largest length of a file in bytes. JSON and doubles represent integers exactly up to this value.
    static let largestLength: Int64 = 1 << 53

    private static func length(_ text: Substring) -> Int64? {
        let digits = text.filter { $0 != " " && $0 != "\t" }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int64(digits),
            length <= largestLength
        else { return nil }
        return length
    }

    /// A Boolean value that indicates whether the body has a transfer coding that was not requested and is not
    /// decoded here.
    ///
    /// libcurl decodes chunks and delivers their contents.
    var hasUnknownTransferCoding: Bool {
        let codings = value("Transfer-Encoding")?.lowercased().split { $0 == "," || $0.isWhitespace } ?? []
        return codings.contains { $0 != "chunked" && $0 != "identity" }
    }

    /// A Boolean value that indicates whether the body differs from the file's own bytes.
    var isEncoded: Bool {
        guard let coding = value("Content-Encoding")?.lowercased() else { return false }
        return !coding.isEmpty && coding != "identity"
    }

    /// The media type in lowercase, without its parameters.
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
    /// Returns the failure for a status that may be temporary. The failure includes the delay that the server
    /// requests. A date is read by the server's own clock, which may differ from that of this machine.
    func temporaryStatusFailure(from server: URLReference, now: Int64) -> TransferFailure {
        let wait = HTTPDate.retryAfterSeconds(value("Retry-After"), now: value("Date").flatMap(HTTPDate.seconds) ?? now)
        let delayText = wait.map { " (retry after \($0) s)" } ?? ""
        return TransferFailure(
            cause: .status(status), message: "\(server.hostAndPort) returned \(status)\(delayText).",
            retryAfterSeconds: wait, retryAfterServer: wait.map { _ in server.origin })
    }
}

extension ServerFile {
    init(_ head: ResponseHead, from url: String, total: Int64?, now: Int64) {
        self.init(
            url: url, status: head.status, total: total, version: head.version,
            continuing: head.continuingVersion(now: now),
            disposition: head.value("Content-Disposition"), lastModified: head.value("Last-Modified"),
            mediaType: head.mediaType)
    }
}
