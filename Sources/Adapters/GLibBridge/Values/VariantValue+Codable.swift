// SPDX-License-Identifier: Apache-2.0
/// The encoded form uses JSON's own types, with null for types that are only sent.
///
/// A double is an object with the single key `double`, because JSON does not distinguish 5.0 from 5.
extension VariantValue: Codable {
    private static let doubleKey = "double"

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .other
            // The most frequent types come first, because a failed try takes long.
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let list = try? container.decode([VariantValue].self) {
            self = .list(list)
        } else if let number = try? container.decode([String: Double].self), number.count == 1,
            let double = number[Self.doubleKey]
        {
            self = .double(double)
        } else {
            self = .dictionary(try container.decode([String: VariantValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .double(let double): try container.encode([Self.doubleKey: double])
        case .string(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .bytes(let bytes): try container.encode(bytes)
        case .dictionary(let dictionary): try container.encode(dictionary)
        case .handle, .typed, .other: try container.encodeNil()
        }
    }
}
