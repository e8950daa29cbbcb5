// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

/// Drives an upload state machine with the responses of a server, and collects its directives.
struct UploadDialogue {
    var machine: UploadStateMachine
    /// The directives that the test has not examined yet.
    var decided: [UploadStateMachine.Directive] = []

    init(
        _ method: UploadSource.Method = .put, size: Int64 = 1_000_000, resumption: UploadSource.Resumption = .automatic,
        url: String = "http://host/file", resume: ResumePoint? = nil, change: (inout UploadPlan) -> Void = { _ in }
    ) {
        let source = UploadSource(
            method: method, path: "/tmp/a file", size: size, modified: 7, contentType: "text/plain",
            resumption: resumption)
        let secret = HeaderField(name: "Authorization", value: "secret")
        var plan = UploadPlan(
            request: RequestPlan(url: url, headers: [secret], userAgent: "test"), source: source)
        plan.resume = resume?.upload
        plan.offset = resume?.offset ?? 0
        change(&plan)
        machine = UploadStateMachine(plan: plan)
        decided = machine.begin()
    }

    /// Returns the request to send now, or `nil` if there is none.
    mutating func sent() -> RequestHead? {
        for case .send(let request) in decided {
            decided.removeAll()
            return request
        }
        return nil
    }

    /// Returns the request to send now. Fails if there is none.
    mutating func request() throws -> RequestHead {
        let request = sent()
        return try #require(request)
    }

    mutating func head(_ status: Int, _ fields: [String: String] = [:], bodySent: Bool = true) {
        machine.isBodySent = bodySent
        let list = fields.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
        decided += machine.received(ResponseHead(status: status, fields: list))
    }

    mutating func end(_ cause: FailureCause? = nil, bodySent: Bool = true) {
        machine.isBodySent = bodySent
        decided += machine.ended(cause.map { TransferFailure(cause: $0, message: "test") })
    }

    /// Receives a complete response without a body.
    mutating func answer(_ status: Int, _ fields: [String: String] = [:]) {
        head(status, fields)
        end()
    }

    var ending: UploadStateMachine.Ending? {
        for case .end(let ending) in decided { return ending }
        return nil
    }
    var failure: FailureCause? { if case .failed(let failure) = ending { failure.cause } else { nil } }
    var remembered: ResumePoint? {
        for case .remember(let point) in decided.reversed() { return point }
        return nil
    }
}

extension ResumePoint {
    /// Returns the resume point of an earlier attempt of `UploadDialogue`.
    static func left(
        _ kind: UploadResume.Kind, _ offset: Int64, url: String = "http://host/uploads/1"
    ) -> ResumePoint {
        ResumePoint(upload: UploadResume(kind: kind, url: url, modified: 7), offset: offset, total: 1_000_000)
    }
}
