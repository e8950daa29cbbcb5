// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import TransferEngine

/// Encodes and decodes the values that the database stores as JSON text.
enum JSONText {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    /// Decodes a value of the transfer `id`. Throws an error that names the unreadable column and row.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from text: String, _ column: String, of id: Int64
    ) throws -> Value {
        do {
            return try decode(type, from: text)
        } catch {
            throw TransferStoreError.unreadable(column, of: id, "the value is not a valid \(type)")
        }
    }
}
