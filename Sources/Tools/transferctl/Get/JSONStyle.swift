// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import ToolSupport
import TransferBusProtocol
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling

/// One JSON object a line; the keys are part of the program's interface.
struct JSONStyle: GetStyle {
    let localTime: LocalTimeRules

    mutating func show(_ update: TransferUpdate, _ specification: TransferSpecification) {
        var object: [String: Any] = [
            "id": update.id.rawValue, "url": TransferSpecification.redacted(url: specification.url),
            "time": Formatting.rfc3339(update.time.wall),
        ]
        switch update.kind {
        case .submitted, .changed, .paused, .resumed: return  // The command's own doing.
        case .waiting(let explanation):
            object["event"] = "waiting"
            add(explanation, to: &object)
        case .started(let attempt):
            object["event"] = "started"
            object["attempt"] = attempt
        case .progressed(let bytes, let total, let rate):
            object["event"] = "progress"
            object["bytes"] = bytes
            object["total"] = total ?? NSNull()
            object["rate"] = rate ?? NSNull()
        case .stopped(let explanation, let bytes):
            object["event"] = "paused"
            object["bytes"] = bytes
            add(explanation, to: &object)
            if explanation.holds.isEmpty { addEnd(to: &object) }
        case .retrying(let explanation, let failure, let bytes):
            object["event"] = "retrying"
            object["bytes"] = bytes
            object["error"] = Self.object(failure)
            add(explanation, to: &object)
        case .finished(let completion):
            object["event"] = update.isFailure ? "failed" : "finished"
            object["status"] = completion.status
            object["alreadyComplete"] = completion.wasAlreadyComplete
            if let file = completion.file {
                object["path"] = file.path
                object["bytes"] = file.bytes
            }
            if let answer = completion.answer {
                object["bytes"] = specification.upload?.size ?? NSNull()
                object["response"] = JSONLine.object(answer)
            }
            if update.isFailure {
                object["error"] = ["code": "status", "message": GetText.finished(completion)]
            }
        case .failed(let failure):
            object["event"] = "failed"
            object["error"] = Self.object(failure)
        case .cancelled:
            object["event"] = "cancelled"
        }
        JSONLine.print(object)
    }

    mutating func note(_ text: String) { Console.error("transferctl: \(text)".printable) }

    mutating func end() {}

    private func add(_ explanation: Explanation, to object: inout [String: Any]) {
        object.merge(JSONLine.object(explanation, localTime: localTime)) { _, new in new }
    }

    /// Nothing holds it: it was stopped because the command ends.
    private func addEnd(to object: inout [String: Any]) {
        let isSignal = Console.isInterrupted
        let sentence = isSignal ? "interrupted by a signal" : "stopped because the command ends"
        object["reasons"] = [["code": isSignal ? "interrupted" : "ended", "sentence": sentence]]
        object["sentence"] = isSignal ? "interrupted" : "stopped"
    }

    private static func object(_ failure: TransferFailure) -> [String: Any] {
        ["code": failure.cause.code, "message": failure.message]
    }
}

/// JSON objects on standard output, a line each.
enum JSONLine {
    /// Writes `object`, keys in order.
    static func print(_ object: [String: Any]) {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else { return }
        Console.printJSON(String(decoding: data, as: UTF8.self))
    }

    /// What a server answered an upload with: text as it is, anything else in base64.
    static func object(_ answer: ServerAnswer) -> [String: Any] {
        var object: [String: Any] = ["contentType": answer.contentType ?? NSNull(), "cut": answer.isCut]
        if let text = String(validating: answer.body, as: UTF8.self) {
            object["body"] = text
        } else {
            object["base64"] = Data(answer.body).base64EncodedString()
        }
        return object
    }

    /// Why a transfer waits; what is not known is null.
    static func object(_ explanation: Explanation, localTime: LocalTimeRules) -> [String: Any] {
        let explanation = WaitExplanation(explanation, localTime: localTime)
        var object = explanation.fields.mapValues(\.json)
        for key in ["expectedChance", "until"] where object[key] == nil { object[key] = NSNull() }
        object["reasons"] = explanation.reasons.map(Self.object)
        return object
    }

    /// A reason with its data; what is not known of that is null.
    static func object(_ reason: WaitReason) -> [String: Any] {
        let unknown = reason.details.filter { $0.value == nil }.mapValues { _ in NSNull() as Any }
        return reason.fields.mapValues(\.json).merging(unknown) { $1 }
    }
}
