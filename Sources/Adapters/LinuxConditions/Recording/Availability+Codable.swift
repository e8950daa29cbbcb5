// SPDX-License-Identifier: Apache-2.0

/// The encoded form is the value, or one of the words `pending`, `absent`, and `silent`.
extension Availability: Codable where Value: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        switch try? container.decode(String.self) {
        case "pending": self = .pending
        case "absent": self = .absent
        case "silent": self = .silent
        case let word?:
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(word)' is not valid; use pending, absent, silent, or a value")
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
