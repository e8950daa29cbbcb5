// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// A parser for header fields: `Name: value`.
struct HeaderExpression {
    /// The parsed field.
    let field: HeaderField
    /// A Boolean value that indicates whether the transfer sets this field itself, so that the parsed one is not sent.
    let isReserved: Bool

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` with a description of the error. The message does not repeat the value, which may be a
    ///   secret.
    init(_ text: String) throws {
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError(
                "the --header that begins with '\(text.prefix(4))…' has no colon; use \"Name: value\"")
        }
        let name = String(text[..<colon])
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        field = HeaderField(name: name, value: String(value))
        switch field.fault {
        case nil, .reserved?: break
        case .noName?: throw UsageError("not a valid header name: --header '\(name)'; use letters, digits, and hyphens")
        case .controlCharacter?:
            throw UsageError(
                "the value of --header '\(name)' contains a control character or a line break; leave it out")
        }
        isReserved = field.fault == .reserved
    }
}
