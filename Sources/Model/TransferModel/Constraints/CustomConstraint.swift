// SPDX-License-Identifier: Apache-2.0

/// A requirement that a ``CustomCondition`` has one of several values. An unknown value is none of them.
///
/// Written `call=no`, or `load=low/medium`.
///
/// ```swift
/// let constraint = CustomConstraint("call=no")
/// ```
public struct CustomConstraint: Hashable, Sendable, Codable, LosslessStringConvertible {
    /// The name of the condition.
    public let name: String
    /// The permitted values, sorted.
    public let values: [String]

    /// Creates a requirement, or returns `nil` if the name or a value is not permitted, or there is no value.
    public init?(name: String, values: some Sequence<String>) {
        let values = Set(values)
        guard Self.isName(name), !values.isEmpty, values.allSatisfy(Self.isValue) else { return nil }
        self.name = name
        self.values = values.sorted()
    }

    /// Parses a requirement, or returns `nil` if the text is not one.
    public init?(_ description: String) {
        let parts = description.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(
            name: String(parts[0]),
            values: parts[1].split(separator: "/", omittingEmptySubsequences: false).map(String.init))
    }

    /// The requirement as text.
    public var description: String { "\(name)=\(values.joined(separator: "/"))" }

    /// The names of the machine's own conditions, which no custom condition may have.
    public static let reservedNames: Set<String> = [
        "power", "battery", "profile", "sleep", "network", "metered", "roaming", "connection", "interface", "underlay",
        "price", "ac", "kind", "hold", "notes", "disagreements",
    ]

    /// Returns whether a text may name a condition: up to 32 lowercase letters, digits, and hyphens, with a letter first,
    /// and not a name of the machine's own conditions.
    public static func isName(_ text: String) -> Bool {
        let characters = text.utf8
        guard let first = characters.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first, characters.count <= 32,
            !reservedNames.contains(text)
        else { return false }
        return characters.allSatisfy { isLowercase($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Returns whether a text may be a value: up to 64 letters, digits, hyphens, underscores, and periods.
    public static func isValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy {
                isLowercase($0 | 0x20) || isDigit($0)
                    || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
            }
    }

    private static func isLowercase(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte }
    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// Decodes a requirement from its text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let constraint = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a requirement such as call=no")
        }
        self = constraint
    }

    /// Encodes the requirement as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension [CustomConstraint] {
    /// Adds a requirement, or replaces the requirement of the same condition.
    package mutating func require(_ constraint: CustomConstraint) {
        removeAll { $0.name == constraint.name }
        insert(constraint, at: firstIndex { $0.name > constraint.name } ?? count)
    }
}
