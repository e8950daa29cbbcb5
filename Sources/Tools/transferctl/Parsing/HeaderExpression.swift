// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// A parser for header fields: `Name: value`.
struct HeaderExpression {
    /// The parsed field.
    let field: HeaderField

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` with a description of the error. The message does not repeat the value, which may be a
    ///   secret.
    init(_ text: String) throws {
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError(
                "a --header is written \"Name: value\"; the one that begins with '\(text.prefix(4))…' has no colon")
        }
        let name = String(text[..<colon])
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        field = HeaderField(name: name, value: String(value))
        switch field.fault {
        case nil: break
        case .noName?: throw UsageError("--header '\(name)' is no header name (RFC 9110 §5.1)")
        case .controlCharacter?:
            throw UsageError("the value of --header '\(name)' has a control character or a line break in it")
        case .reserved?:
            throw UsageError("--header '\(name)' is set by the transfer itself and cannot be given")
        }
    }
}
