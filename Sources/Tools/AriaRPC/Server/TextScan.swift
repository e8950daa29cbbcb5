// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The size of a JSON text in values, counted before any value is built.
///
/// A value of JSON takes hundreds of bytes in memory even if its text has two. The scan takes no memory, and does not
/// check the syntax: what is no JSON is found later.
struct TextScan {
    /// The maximum numbers of a text.
    struct Limits: Hashable, Sendable {
        /// The maximum number of values: texts, numbers, and the like, lists, objects, and the names in objects.
        var values: Int
        /// The maximum number of lists and objects in each other. Calls of aria2 have 6.
        var depth: Int

        /// The limits of a text with the right token: `system.multicall` with 1,000 calls of 20 values.
        static let authorized = Limits(values: 20_000, depth: 64)
        /// The limits of other texts: a program that does not know the token asks little.
        static let stranger = Limits(values: 200, depth: 64)
    }

    /// The number of values, or more: also what is no JSON counts.
    private(set) var values = 0
    /// The number of lists and objects in each other.
    private(set) var depth = 0
    /// The first token in the text. The text may end after it.
    private(set) var token: String?
    /// Whether the text contains the byte 0, as UTF-16 and UTF-32 do. Their values cannot be counted.
    private(set) var hasZeros = false

    private static let tokenStart = Array("\"token:".utf8)

    /// Scans a text, or the beginning of one.
    init(_ text: Data) {
        text.withUnsafeBytes { scan($0) }
        hasZeros = text.contains(0)
    }

    private mutating func scan(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        var open = 0
        var isAfterValue = false
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                let end = Self.endOfString(bytes, from: index)
                if token == nil, end < bytes.count { token = Self.token(bytes[index...end]) }
                index = end
                if !isAfterValue { values += 1 }
                isAfterValue = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                (values, open, isAfterValue) = (values + 1, open + 1, false)
                depth = max(depth, open)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): (open, isAfterValue) = (max(open - 1, 0), true)
            case UInt8(ascii: ","), UInt8(ascii: ":"): isAfterValue = false
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
            default:
                if !isAfterValue { values += 1 }
                isAfterValue = true
            }
            index += 1
        }
    }

    /// Returns the index of a text's closing quote, or the number of all bytes if there is none.
    private static func endOfString(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, bytes.count)
    }

    /// Returns the token in a text in quotes, or `nil` if it has none.
    private static func token(_ quoted: Slice<UnsafeRawBufferPointer>) -> String? {
        // Tokens have at most 256 characters, of which each may be escaped with 6.
        guard quoted.count < 2048, quoted.starts(with: tokenStart) else { return nil }
        guard
            case let text as String = try? JSONSerialization.jsonObject(with: Data(quoted), options: .fragmentsAllowed)
        else { return nil }
        return String(text.dropFirst(tokenStart.count - 1))
    }

    /// Returns why a text may not be read, or `nil` if it may.
    func fault(_ limits: Limits) -> RPCFault? {
        if hasZeros { return .notJSON }
        if depth > limits.depth { return .invalidRequest("lists and objects may be nested \(limits.depth) deep") }
        guard values > limits.values else { return nil }
        let most = limits == .stranger ? "; with the right token, \(Limits.authorized.values)" : ""
        return .invalidRequest("the text has more than \(limits.values) values\(most)")
    }
}
