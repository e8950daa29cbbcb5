// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A D-Bus value as a recording keeps it: as JSON's own kinds of values, with null for the rarer kinds.
///
/// A double is an object with the one key `double`, since JSON does not tell 5.0 from 5.
struct RecordedVariant: Codable {
    private static let doubleKey = "double"

    var value: VariantValue

    init(_ value: VariantValue) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .other
        } else if let bool = try? container.decode(Bool.self) {
            value = .bool(bool)
        } else if let integer = try? container.decode(Int64.self) {
            value = .integer(integer)
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let list = try? container.decode([RecordedVariant].self) {
            value = .list(list.map(\.value))
        } else if let number = try? container.decode([String: Double].self), number.count == 1,
            let double = number[Self.doubleKey]
        {
            value = .double(double)
        } else {
            value = .dictionary(try container.decode([String: RecordedVariant].self).mapValues(\.value))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .double(let double): try container.encode([Self.doubleKey: double])
        case .string(let text): try container.encode(text)
        case .list(let list): try container.encode(list.map(RecordedVariant.init))
        case .bytes(let bytes): try container.encode(bytes)
        case .dictionary(let dictionary): try container.encode(dictionary.mapValues(RecordedVariant.init))
        case .paths, .handle, .typed, .other: try container.encodeNil()
        }
    }
}

/// As a value, or as one of the words `pending`, `absent` and `silent`.
extension Answer: Codable where Value: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        switch try? container.decode(String.self) {
        case "pending": self = .pending
        case "absent": self = .absent
        case "silent": self = .silent
        case let word?:
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(word)' is no answer; pending, absent, silent or a value is")
        case nil: self = .value(try container.decode(Value.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .pending: try container.encode("pending")
        case .absent: try container.encode("absent")
        case .silent: try container.encode("silent")
        case .value(let value): try container.encode(value)
        }
    }
}

extension RecordedVariant: Hashable {}
