// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A place at the server where an upload can go on, and how much the server says it has there.
struct UploadPlace: Hashable, Sendable {
    var resource: UploadResume
    /// The number of bytes that the server has said it has there.
    var confirmed: Int64 = 0
    /// The number of times that the server has contradicted itself about `confirmed`, without having more.
    private var contradictions = 0

    init(resource: UploadResume, confirmed: Int64 = 0) {
        self.resource = resource
        self.confirmed = confirmed
    }

    /// The place that the head of an answer from `url` names; nil if it names none that may be asked.
    init?(_ kind: UploadResume.Kind, _ head: ResponseHead, from url: String, for plan: UploadPlan) {
        guard let location = head.value("Location") else { return nil }
        let hop = plan.request.redirects.next(location: location, from: url, fields: [], visited: [])
        guard case .follow(let url, _) = hop else { return nil }
        self.init(resource: UploadResume(kind: kind, url: url, modified: plan.source.modified))
    }

    /// A question to the place; nil if it may not be asked.
    func question(_ kind: UploadStateMachine.Kind, of plan: UploadPlan) -> UploadStateMachine.Question? {
        let whole = plan.wholeQuestion
        let hop = plan.request.redirects.next(
            location: resource.url, from: whole.url, fields: whole.fields, visited: [])
        guard case .follow(let url, let fields) = hop else { return nil }
        return UploadStateMachine.Question(kind: kind, url: url, fields: fields, visited: [url])
    }

    /// Takes the server's word that it has the bytes up to `offset`; false if it has contradicted itself too often.
    mutating func confirm(_ offset: Int64) -> Bool {
        contradictions = offset > confirmed ? 0 : contradictions + 1
        guard isBelievable else { return false }
        confirmed = offset
        return true
    }

    /// Takes an answer that contradicts the earlier ones; false if there were too many.
    mutating func contradict() -> Bool {
        contradictions += 1
        return isBelievable
    }

    private var isBelievable: Bool { contradictions <= 3 }
}
