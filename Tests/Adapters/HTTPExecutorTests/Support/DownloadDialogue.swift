// SPDX-License-Identifier: Apache-2.0
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

/// Runs the state machine on short scripts and records its actions as short lines.
struct DownloadDialogue {
    var machine: DownloadStateMachine
    var lines: [String] = []
    /// The cause of the latest restart.
    var restartCause: RestartCause?

    init(_ plan: DownloadPlan) { machine = DownloadStateMachine(plan: plan) }

    static func plan(_ url: String = "http://h/f.bin", offset: Int64 = 0, total: Int64? = nil, tag: String? = nil)
        -> DownloadPlan
    {
        var plan = DownloadPlan(request: RequestPlan(url: url, headers: [], userAgent: "t"))
        plan.offset = offset
        plan.total = total
        plan.validator = tag.map { Validator(entityTag: $0, lastModified: nil) }
        return plan
    }

    mutating func record(_ directives: [DownloadStateMachine.Directive]) {
        for directive in directives {
            switch directive {
            case .send(let request):
                let parts = [request.value("Range"), request.value("If-Range").map { "if \($0)" }].compactMap { $0 }
                lines.append((["ask"] + parts).joined(separator: " "))
            case .cancelRequest: lines.append("cancel")
            case .adoptRequest(let id): lines.append("adopt \(id)")
            case .sendSegment(let id, let request): lines.append("ask \(id) \(request.value("Range") ?? "")")
            case .cancelSegment(let id): lines.append("cancel \(id)")
            case .restart(let cause):
                restartCause = cause
                lines.append("startOver")
            case .receive(let file): lines.append("receive \(file.total.map(String.init) ?? "?")")
            case .finish: lines.append("finish")
            case .end(.failed(let failure, let keeps)):
                lines.append("failed \(failure.cause.code)\(keeps ? " keep" : "")")
            case .end(.responded(let status)): lines.append("answered \(status)")
            case .end(.alreadyComplete(let status)): lines.append("already \(status)")
            case .end(.challenged): lines.append("challenged")
            case .end(.stopped): lines.append("stopped")
            }
        }
    }

    mutating func start() { record(machine.begin()) }
    mutating func head(_ status: Int, _ fields: [String: String] = [:]) {
        let list = fields.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
        record(machine.received(ResponseHead(status: status, fields: list)))
    }
    mutating func bytes(_ count: Int) {
        switch machine.received(bytes: count) {
        case .keep(let count): lines.append("write \(count)")
        case .drop: lines.append("drop")
        case .instead(let directives): record(directives)
        }
    }
    mutating func end(_ cause: FailureCause? = nil) {
        record(machine.ended(cause.map { TransferFailure(cause: $0, message: "") }))
    }
    mutating func part(_ range: String, tag: String? = "\"a\"", _ more: [String: String] = [:]) {
        head(
            206,
            ["Content-Range": "bytes \(range)"].merging(tag.map { ["ETag": $0] } ?? [:]) { $1 }.merging(more) { $1 })
    }
}
