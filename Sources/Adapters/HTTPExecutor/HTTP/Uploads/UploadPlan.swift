// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The input of `UploadStateMachine`, known before the first request.
struct UploadPlan: Hashable, Sendable {
    /// The smallest file in bytes that is uploaded resumably. A smaller file is sent in a single plain request,
    /// because a repetition costs less than a request for the server's offset.
    static let smallestResumable: Int64 = 65536

    var request: RequestPlan
    var source: UploadSource
    /// The upload URL of an earlier attempt. `offset` is the number of bytes that the server had.
    var resume: UploadResume?
    var offset: Int64 = 0

    /// A Boolean value that indicates whether the upload uses a resumable protocol. The protocols use PATCH for
    /// their own requests, so an upload by PATCH is not resumable.
    var isResumable: Bool {
        source.resumption == .automatic && source.size >= Self.smallestResumable && source.method != .patch
    }
}

/// The HTTP requests of an upload.
extension UploadPlan {
    /// The interop version of the supported draft. draft-ietf-httpbis-resumable-upload-09 and later use the number 8.
    static let interopVersion = "8"

    /// Additional fields that belong to the protocol. The fields of the transfer cannot set them.
    private static let ownFields: Set<String> = [
        "upload-complete", "upload-length", "upload-offset", "upload-metadata", "upload-draft-interop-version",
        "tus-resumable", "x-http-method-override",
    ]

    /// The attempt request that uploads the whole file to the transfer's URL.
    var wholeFileRequest: UploadStateMachine.Request { request.attemptRequest(.whole, without: Self.ownFields) }

    /// The attempt request that begins an upload of which the server has no bytes.
    var initialRequest: UploadStateMachine.Request {
        var first = wholeFileRequest
        if isResumable, source.method == .post { first.kind = .discover }
        return first
    }

    /// Returns the head for an attempt request.
    ///
    /// - Parameters:
    ///   - attemptRequest: The request to send.
    ///   - sending: The bytes that the request carries, if it has a body.
    ///   - resourceKind: The protocol of the upload URL, or `nil` if there is no upload URL.
    func head(
        of attemptRequest: UploadStateMachine.Request, sending: Range<Int64>, at resourceKind: UploadResume.Kind?
    ) -> RequestHead {
        let isLast = sending.upperBound == source.size
        var head = RequestHead(url: attemptRequest.url, fields: attemptRequest.fields)
        // A `Content-Type` field of the transfer applies only to a request with the file. The source's own type takes
        // precedence.
        if attemptRequest.kind != .whole || source.contentType != nil {
            head.fields = head.fields.without(["content-type"])
        }
        func add(_ name: String, _ value: String) { head.fields.append(HeaderField(name: name, value: value)) }
        func addVersion() {
            switch resourceKind {
            case .tus: add("Tus-Resumable", "1.0.0")
            case .draft: add("Upload-Draft-Interop-Version", Self.interopVersion)
            case nil: break  // Without an upload URL, no such request is made.
            }
        }
        func setBody() {
            add("Content-Length", String(sending.count))
            if !sending.isEmpty { head.body = sending }
        }
        switch attemptRequest.kind {
        case .whole:
            head.method = source.method.rawValue
            if let type = source.contentType { add("Content-Type", type) }
            if isResumable {
                add("Upload-Draft-Interop-Version", Self.interopVersion)
                add("Upload-Complete", isLast ? "?1" : "?0")
                add("Upload-Length", String(source.size))
            }
            setBody()
        case .result:
            break
        case .discover, .termination:
            head.method = "OPTIONS"
        case .create:
            head.method = "POST"
            add("Tus-Resumable", "1.0.0")
            add("Upload-Length", String(source.size))
            add("Upload-Metadata", metadata)
            add("Content-Length", "0")
        case .removal:
            head.method = "DELETE"
            addVersion()
        case .offset:
            head.method = "HEAD"
            addVersion()
        case .append:
            head.method = "PATCH"
            addVersion()
            let isTus = resourceKind == .tus
            add("Content-Type", isTus ? "application/offset+octet-stream" : "application/partial-upload")
            add("Upload-Offset", String(sending.lowerBound))
            if !isTus { add("Upload-Complete", isLast ? "?1" : "?0") }
            setBody()
        }
        return head
    }

    /// The name and type of the file in the format of tus.
    private var metadata: String {
        let name = source.shownPath.split(separator: "/").last.map(String.init) ?? "file"
        var pairs = [("filename", name)]
        if let type = source.contentType ?? request.headers.firstValue("Content-Type") {
            pairs.append(("filetype", type))
        }
        return pairs.map { "\($0) \(Base64Bytes(Array($1.utf8)).text)" }.joined(separator: ",")
    }
}

/// The limits of a server: `Upload-Limit` of the draft of resumable uploads, and `Tus-Max-Size` of tus.
///
/// `max-age` and the older `expires` need no rule. An expired upload URL returns 404, and the upload
/// restarts. `min-append-size` needs no rule either. Parts are as large as allowed, and the last part is exempt.
struct UploadLimits: Hashable, Sendable {
    /// The maximum size of an upload in bytes. `nil` means no limit.
    var maximumSize: Int64?
    /// The maximum size of a single request's body in bytes. `nil` means no limit.
    var maximumAppend: Int64?

    /// Updates the limits from a head. Limits that the head does not mention stay unchanged.
    mutating func update(_ head: ResponseHead) {
        for member in (head.value("Upload-Limit") ?? "").split(separator: ",") {
            // The field is a dictionary of integers (RFC 9651 §3.2). The parameters of each member have no meaning
            // here.
            let pair = member.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, let number = Int64(pair[1].filter { $0 != " " && $0 != "\t" }), number >= 0 else {
                continue
            }
            switch pair[0].filter({ $0 != " " && $0 != "\t" }) {
            case "max-size": maximumSize = number
            // A limit of 0 would allow no upload.
            case "max-append-size" where number > 0: maximumAppend = number
            default: continue
            }
        }
        if let text = head.value("Tus-Max-Size"), let number = Int64(text), number >= 0 { maximumSize = number }
    }
}
