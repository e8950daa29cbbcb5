// SPDX-License-Identifier: Apache-2.0

/// A header field of a request.
///
/// ```swift
/// let field = HeaderField(name: "Accept", value: "audio/mpeg")
/// ```
public struct HeaderField: Hashable, Sendable, Codable {
    /// The name of the field.
    public var name: String
    /// The value of the field.
    public var value: String

    /// Creates a header field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension HeaderField {
    /// A reason why a header field cannot be sent.
    public enum Fault: Hashable, Sendable {
        /// The name is not a valid field name (RFC 9110 §5.1).
        case noName
        /// The value contains a control character, which could end the line (RFC 9110 §5.5).
        case controlCharacter
        /// The transfer itself sets this field.
        case reserved
    }

    /// The names of the fields that the transfer itself must set.
    private static let reserved: Set<String> = [
        "range", "if-range", "if-none-match", "if-modified-since", "content-length", "transfer-encoding", "connection",
        "host", "expect",
    ]

    /// The reason why a user or an app may not set this field, or `nil` if the field is valid.
    public var fault: Fault? {
        let isToken =
            !name.isEmpty
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
        guard isToken else { return .noName }
        guard !value.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" || $0.value == 127 }) else {
            return .controlCharacter
        }
        return Self.reserved.contains(name.lowercased()) ? .reserved : nil
    }
}
