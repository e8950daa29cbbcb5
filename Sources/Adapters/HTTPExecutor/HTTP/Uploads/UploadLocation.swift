// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The upload URL at which an upload can continue, and the number of bytes that the server reports there.
struct UploadLocation: Hashable, Sendable {
    var resource: UploadResume
    /// The number of bytes that the server has reported.
    var confirmed: Int64 = 0
    /// The number of times in a row that the server has contradicted its reports without receiving more bytes.
    private var contradictions = 0

    init(resource: UploadResume, confirmed: Int64 = 0) {
        self.resource = resource
        self.confirmed = confirmed
    }

    /// Creates the location named by the head of a response from `url`. Returns `nil` if the head names no URL, or a
    /// URL that must not be requested.
    init?(_ kind: UploadResume.Kind, _ head: ResponseHead, from url: String, for plan: UploadPlan) {
        guard let location = head.value("Location") else { return nil }
        let decision = plan.request.redirects.next(location: location, from: url, fields: [], visited: [])
        guard case .follow(let url, _) = decision else { return nil }
        self.init(resource: UploadResume(kind: kind, url: url, modified: plan.source.modified))
    }

    /// Returns an attempt request for the upload URL, or `nil` if the URL must not be requested.
    func attemptRequest(_ kind: UploadStateMachine.Kind, of plan: UploadPlan) -> UploadStateMachine.Request? {
        let whole = plan.wholeFileRequest
        let decision = plan.request.redirects.next(
            location: resource.url, from: whole.url, fields: whole.fields, visited: [])
        guard case .follow(let url, let fields) = decision else { return nil }
        return UploadStateMachine.Request(kind: kind, url: url, fields: fields, visited: [url])
    }

    /// Accepts the server's report that it has the bytes up to `offset`. Returns `false` if the server has
    /// contradicted itself too often.
    mutating func confirm(_ offset: Int64) -> Bool {
        contradictions = offset > confirmed ? 0 : contradictions + 1
        guard isBelievable else { return false }
        confirmed = offset
        return true
    }

    /// Records a response that contradicts earlier responses. Returns `false` if there were too many contradictions.
    mutating func contradict() -> Bool {
        contradictions += 1
        return isBelievable
    }

    private var isBelievable: Bool { contradictions <= 3 }
}

extension ResponseHead {
    /// The number of bytes that the server reports, or `nil` if the field is missing or invalid.
    var uploadOffset: Int64? {
        guard let text = value("Upload-Offset")?.filter({ $0 != " " }), let offset = Int64(text), offset >= 0 else {
            return nil
        }
        return offset
    }

    /// The value of `Upload-Complete`, or `nil` if the field is missing or invalid.
    var saysUploadIsComplete: Bool? {
        switch value("Upload-Complete")?.filter({ $0 != " " }) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// Returns the comma-separated parts of a field, in lowercase.
    func list(_ name: String) -> [String] {
        (value(name) ?? "").lowercased().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    }
}
