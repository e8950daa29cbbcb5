// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferEngine
import TransferModel

/// A renderer that prints one JSON object per line. The keys are part of the program's interface.
struct JSONRenderer: TransferRenderer {
    private var tally: TransferTally

    /// Creates a renderer of `count` transfers.
    init(count: Int) { tally = TransferTally(count: count) }

    mutating func show(_ status: TransferStatus, _ event: TransferEvent?) {
        guard let event else { return }
        _ = tally.record(status, event)
        var object: [String: Any] = [
            "id": status.id.rawValue, "url": status.url, "time": Formatting.rfc3339(event.time),
        ]
        switch event.kind {
        case .waiting(let explanation):
            object["event"] = "waiting"
            add(explanation, to: &object)
        case .deadline(let state, let sentence):
            object["event"] = state == .missed ? "deadlineMissed" : "deadlineAtRisk"
            object["deadline"] = status.deadline.map(Formatting.rfc3339) ?? NSNull()
            object["sentence"] = sentence
        case .started:
            object["event"] = "started"
            object["attempt"] = status.attempt
        case .progressed:
            object["event"] = "progress"
            object["bytes"] = status.bytes
            object["total"] = status.total ?? NSNull()
            object["rate"] = status.rate ?? NSNull()
        case .restarted(let cause):
            object["event"] = "restarted"
            object["code"] = cause.rawValue
            object["sentence"] = cause.sentence
        case .stopped(let explanation):
            object["event"] = "paused"
            object["bytes"] = status.bytes
            add(explanation, to: &object)
            if explanation.reasons.isEmpty { addEnd(to: &object) }
        case .retrying(let explanation):
            object["event"] = "retrying"
            object["bytes"] = status.bytes
            object["error"] = Self.error(of: status)
            add(explanation, to: &object)
        case .ended(let completion):
            object["event"] = status.state.rawValue
            if status.state == .failed { object["error"] = Self.error(of: status, completion) }
            if let completion { add(completion, of: status, to: &object) }
            if let pace = tally.pace(of: status.id) {
                object["elapsed"] = Double(pace.milliseconds) / 1000
                object["averageRate"] = pace.rate
            }
        }
        JSONLine.print(object)
    }

    /// Prints the summary of several transfers.
    mutating func end() {
        guard tally.count > 1 else { return }
        JSONLine.print(tally.fields.merging(["event": "summary"]) { $1 })
    }

    private func add(_ explanation: WaitExplanation, to object: inout [String: Any]) {
        object.merge(JSONLine.object(explanation)) { _, new in new }
    }

    private func add(_ completion: TransferCompletion, of status: TransferStatus, to object: inout [String: Any]) {
        object["status"] = completion.status
        object["alreadyComplete"] = completion.wasAlreadyComplete
        if let file = completion.file {
            object["path"] = file.path
            object["bytes"] = file.bytes
        }
        if let answer = completion.answer {
            object["bytes"] = status.total ?? NSNull()
            object["response"] = JSONLine.object(answer)
        }
    }

    /// Adds the reason of a transfer that no condition blocks: the command itself ends.
    private func addEnd(to object: inout [String: Any]) {
        let isSignal = Console.isInterrupted
        let sentence = isSignal ? "interrupted by a signal" : "stopped because the command is ending"
        object["reasons"] = [["code": isSignal ? "interrupted" : "ended", "sentence": sentence]]
        object["sentence"] = isSignal ? "interrupted" : "stopped"
    }

    /// Returns the error of a transfer. If an upload or download ended with an unexpected response, the message
    /// includes a hint.
    private static func error(of status: TransferStatus, _ completion: TransferCompletion? = nil) -> [String: Any] {
        ["code": status.errorCode ?? "", "message": completion.map { TransferText.finished($0) } ?? status.error ?? ""]
    }
}
