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
