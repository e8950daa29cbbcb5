// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine

/// Reads `Name: value`.
struct HeaderExpression {
    /// The field.
    let field: HeaderField

    /// Fields that the transfer itself needs to set.
    private static let reserved: Set<String> = [
        "range", "if-range", "if-none-match", "if-modified-since", "content-length", "transfer-encoding", "connection",
        "host", "expect",
    ]

    /// Reads `text`.
    ///
    /// - Throws: `UsageError` that says what was wrong. The value may be a secret, so it is not repeated.
    init(_ text: String) throws {
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError(
                "a --header is written \"Name: value\"; the one that begins with '\(text.prefix(4))…' has no colon")
        }
        let name = String(text[..<colon])
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        let isToken =
            !name.isEmpty
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
        guard isToken else { throw UsageError("--header '\(name)' is no header name (RFC 9110 §5.1)") }
        guard !value.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" || $0.value == 127 }) else {
            throw UsageError("the value of --header '\(name)' has a control character or a line break in it")
        }
        guard !Self.reserved.contains(name.lowercased()) else {
            throw UsageError("--header '\(name)' is set by the transfer itself and cannot be given")
        }
        field = HeaderField(name: name, value: String(value))
    }
}
