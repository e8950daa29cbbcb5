// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import ToolSupport
import TransferBusProtocol
import TransferEngine
import TransferModel

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
    static func object(_ explanation: WaitExplanation) -> [String: Any] {
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
