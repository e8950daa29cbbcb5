// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The requests of an upload, in the words of HTTP.
extension UploadPlan {
    /// The version of the draft that is spoken: draft-ietf-httpbis-resumable-upload-09 and later name it 8.
    static let interopVersion = "8"

    /// Further fields that belong to the protocol and are never taken from outside.
    private static let ownFields: Set<String> = [
        "upload-complete", "upload-length", "upload-offset", "upload-metadata", "upload-draft-interop-version",
        "tus-resumable", "x-http-method-override",
    ]

    /// The upload in one request, to the URL that was given.
    var wholeQuestion: UploadStateMachine.Question { request.question(.whole, without: Self.ownFields) }

    /// The question that begins an upload of which the server has nothing.
    var firstQuestion: UploadStateMachine.Question {
        var first = wholeQuestion
        if isResumable, source.method == .post { first.kind = .discover }
        return first
    }

    /// The head of a question's request.
    ///
    /// - Parameters:
    ///   - sending: the bytes that the request carries if it has a body.
    ///   - place: the protocol of the place where the upload goes on; nil if there is none.
    func head(
        of question: UploadStateMachine.Question, sending: Range<Int64>, at place: UploadResume.Kind?
    ) -> RequestHead {
        let isLast = sending.upperBound == source.size
        var head = RequestHead(url: question.url, fields: question.fields)
        // A type that the person gave as a field is of use with the file alone, and not where its own is known.
        if question.kind != .whole || source.contentType != nil {
            head.fields = head.fields.without(["content-type"])
        }
        func add(_ name: String, _ value: String) { head.fields.append(HeaderField(name: name, value: value)) }
        func addVersion() {
            switch place {
            case .tus: add("Tus-Resumable", "1.0.0")
            case .draft: add("Upload-Draft-Interop-Version", Self.interopVersion)
            case nil: break  // There is no place to ask; such a question is not made.
            }
        }
        func setBody() {
            add("Content-Length", String(sending.count))
            if !sending.isEmpty { head.body = sending }
        }
        switch question.kind {
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
            let isTus = place == .tus
            add("Content-Type", isTus ? "application/offset+octet-stream" : "application/partial-upload")
            add("Upload-Offset", String(sending.lowerBound))
            if !isTus { add("Upload-Complete", isLast ? "?1" : "?0") }
            setBody()
        }
        return head
    }

    /// Name and type of the file, as tus wants them.
    private var metadata: String {
        let name = source.shownPath.split(separator: "/").last.map(String.init) ?? "file"
        var pairs = [("filename", name)]
        if let type = source.contentType ?? request.headers.firstValue("Content-Type") {
            pairs.append(("filetype", type))
        }
        return pairs.map { "\($0) \(Base64.encode(Array($1.utf8)))" }.joined(separator: ",")
    }
}
