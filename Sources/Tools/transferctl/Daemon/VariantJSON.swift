// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge

extension VariantValue {
    /// The value in a form that `JSONSerialization` accepts.
    var json: Any {
        switch self {
        case .bool(let flag): flag
        case .integer(let number): number
        case .double(let number): number
        case .string(let text): text
        case .list(let items): items.map(\.json)
        case .dictionary(let entries): entries.mapValues(\.json)
        case .bytes(let bytes): Data(bytes).base64EncodedString()
        case .typed(_, let value): value.json
        case .handle, .other: NSNull()
        }
    }
}
