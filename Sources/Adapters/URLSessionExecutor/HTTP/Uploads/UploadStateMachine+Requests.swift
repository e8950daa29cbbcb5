// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What is asked.
extension UploadStateMachine {
    /// The version of the draft that is spoken: draft-ietf-httpbis-resumable-upload-09 and later name it 8.
    static let interopVersion = "8"

    /// Further fields that belong to the protocol and are never taken from outside.
    private static let ownFields: Set<String> = [
        "upload-complete", "upload-length", "upload-offset", "upload-metadata", "upload-draft-interop-version",
        "tus-resumable", "x-http-method-override",
    ]

    /// The upload in one request, to the URL that was given.
    var wholeQuestion: Question { request.question(.whole, without: Self.ownFields) }

    /// The question that begins an upload of which the server has nothing.
    var firstQuestion: Question {
        let asksFirst = plan.isResumable && plan.source.method == .post
        return request.question(asksFirst ? .discover : .whole, without: Self.ownFields)
    }

    /// A question to the place where the upload goes on; nil where that may not be asked.
    func question(_ kind: Kind, at resource: UploadResume) -> Question? {
        let whole = wholeQuestion
        let hop = request.redirects.next(
            location: resource.url, from: whole.url, fields: whole.fields, visited: [])
        guard case .follow(let url, let fields) = hop else { return nil }
        return Question(kind: kind, url: url, fields: fields, visited: [url])
    }

    mutating func ask(_ question: Question) -> [Directive] {
        state = .asking(question)
        // One plain request is not divided: nothing tells where it would go on.
        let most = plan.isResumable ? limits.maximumAppend ?? .max : .max
        sending = start..<start + min(most, plan.source.size - start)
        let isLast = sending.upperBound == plan.source.size
        var head = RequestHead(url: question.url, fields: question.fields)
        // A type that the person gave as a field is of use with the file alone, and not where its own is known.
        if question.kind != .whole || plan.source.contentType != nil {
            head.fields = head.fields.without(["content-type"])
        }
        func add(_ name: String, _ value: String) { head.fields.append(HeaderField(name: name, value: value)) }
        switch question.kind {
        case .whole:
            head.method = plan.source.method.rawValue
            if let type = plan.source.contentType { add("Content-Type", type) }
            if plan.isResumable {
                add("Upload-Draft-Interop-Version", Self.interopVersion)
                add("Upload-Complete", isLast ? "?1" : "?0")
                add("Upload-Length", String(plan.source.size))
            }
            setBody(of: &head)
        case .result:
            break
        case .discover, .termination:
            head.method = "OPTIONS"
        case .create:
            head.method = "POST"
            add("Tus-Resumable", "1.0.0")
            add("Upload-Length", String(plan.source.size))
            add("Upload-Metadata", metadata)
            add("Content-Length", "0")
        case .removal:
            head.method = "DELETE"
            addVersion(to: &head)
        case .offset:
            head.method = "HEAD"
            addVersion(to: &head)
        case .append:
            head.method = "PATCH"
            addVersion(to: &head)
            let isTus = resource?.kind == .tus
            add("Content-Type", isTus ? "application/offset+octet-stream" : "application/partial-upload")
            add("Upload-Offset", String(confirmed))
            if !isTus { add("Upload-Complete", isLast ? "?1" : "?0") }
            setBody(of: &head)
        }
        head.fields = authenticator.adding(to: head.fields, url: question.url, method: head.method)
        return [.send(head)]
    }

    private func addVersion(to head: inout RequestHead) {
        switch resource?.kind {
        case .tus: head.fields.append(HeaderField(name: "Tus-Resumable", value: "1.0.0"))
        case .draft:
            head.fields.append(HeaderField(name: "Upload-Draft-Interop-Version", value: Self.interopVersion))
        case nil: break  // There is no place to ask; such a question is not made.
        }
    }

    private func setBody(of head: inout RequestHead) {
        head.fields.append(HeaderField(name: "Content-Length", value: String(sending.count)))
        if !sending.isEmpty { head.body = sending }
    }

    /// Name and type of the file, as tus wants them.
    private var metadata: String {
        let name = plan.source.shownPath.split(separator: "/").last.map(String.init) ?? "file"
        var pairs = [("filename", name)]
        if let type = plan.source.contentType ?? request.headers.firstValue("Content-Type") {
            pairs.append(("filetype", type))
        }
        return pairs.map { "\($0) \(Base64.encode(Array($1.utf8)))" }.joined(separator: ",")
    }
}
