// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import ToolSupport
import TransferBusProtocol
import TransferEngine
import TransferModel

/// JSON objects on standard output, one per line.
enum JSONLine {
    /// Prints `object` with sorted keys.
    static func print(_ object: [String: Any]) { if let text = text(of: object) { Console.printJSON(text) } }

    /// Returns `object` as JSON with sorted keys, or `nil` if JSON cannot represent it.
    static func text(of object: [String: Any]) -> String? {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Returns a server's response to an upload as an object. Text is unchanged, and other data is encoded in base64.
    static func object(_ response: UploadResponse) -> [String: Any] {
        var object: [String: Any] = ["contentType": response.contentType ?? NSNull(), "cut": response.isCut]
        if let text = String(validating: response.body, as: UTF8.self) {
            object["body"] = text
        } else {
            object["base64"] = Data(response.body).base64EncodedString()
        }
        return object
    }

    /// Returns an explanation of a wait. Unknown values are null.
    static func object(_ explanation: WaitExplanation) -> [String: Any] {
        var object = explanation.fields.mapValues(\.json)
        for key in ["expectedChance", "until"] where object[key] == nil { object[key] = NSNull() }
        object["reasons"] = explanation.reasons.map(Self.object)
        return object
    }

    /// Returns a reason with its data. Unknown data is null.
    static func object(_ reason: WaitReasonReport) -> [String: Any] {
        let unknown = reason.details.filter { $0.value == nil }.mapValues { _ in NSNull() as Any }
        return reason.fields.mapValues(\.json).merging(unknown) { $1 }
    }
}
