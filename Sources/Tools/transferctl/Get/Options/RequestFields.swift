// SPDX-License-Identifier: Apache-2.0
import HTTPSyntax
import ToolSupport
import TransferFiles
import TransferModel

/// The header fields that the options of a command describe.
struct RequestFields {
    /// The fields, in the order of the command line.
    let fields: [HeaderField]

    /// The names of the fields that are not sent, because the transfer sets them itself.
    let ignored: [String]

    /// Validates the options.
    ///
    /// - Throws: `UsageError` that names the option, and not the value of a field.
    init(_ options: RequestOptions) throws {
        let expressions = try options.header.map { try HeaderExpression($0) }
        ignored = expressions.filter(\.isReserved).map(\.field.name)
        var fields = expressions.filter { !$0.isReserved }.map(\.field)
        func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }
        if options.cookies != nil, has("cookie") {
            throw UsageError("--cookies and --header 'Cookie: …' are mutually exclusive; use one of them")
        }
        if options.user != nil, has("authorization") {
            throw UsageError("--user and --header 'Authorization: …' are mutually exclusive; use one of them")
        }
        if options.user != nil, options.netrc {
            throw UsageError("--user and --netrc are mutually exclusive; use one of them")
        }
        if let referer = options.referer {
            guard !has("referer") else {
                throw UsageError("--referer and --header 'Referer: …' are mutually exclusive; use one of them")
            }
            fields.append(try Self.referer(referer))
        }
        self.fields = fields
    }

    /// Returns the field `Referer`. A user, password, or fragment in the URL is left out (RFC 9110 §10.1.3).
    static func referer(_ text: String) throws -> HeaderField {
        let url = URLReference(text)
        guard url.scheme == "http" || url.scheme == "https", !url.host.isEmpty else {
            throw UsageError("not a valid URL: --referer '\(RedactedURL.text(of: text))'; use https://…")
        }
        let shown = url.withoutUserInfo.text.prefix { $0 != "#" }
        let field = HeaderField(name: "Referer", value: String(shown))
        guard field.fault == nil else {
            throw UsageError("the value of --referer contains a control character or a line break; leave it out")
        }
        return field
    }
}
