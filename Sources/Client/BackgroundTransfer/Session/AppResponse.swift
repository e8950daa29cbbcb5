// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
internal import HTTPSyntax

/// The response of a task, for the app.
///
/// The properties have the values that Apple documents, where FoundationNetworking computes others. The article
/// *Differences from Apple's API* lists all of them.
final class AppResponse: HTTPURLResponse, @unchecked Sendable {
    /// A safe name for the file: from `Content-Disposition`, the URL's last path component, or the URL's host.
    ///
    /// FoundationNetworking knows only the parameter `filename` of `Content-Disposition`, and returns `Unknown`
    /// without it.
    override var suggestedFilename: String? {
        ServerFileName.name(
            disposition: value(forHTTPHeaderField: "Content-Disposition"), url: url?.absoluteString ?? "",
            // The last component of Foundation is that of a folder if the path ends with a slash.
            otherwise: [url?.lastPathComponent ?? "", url?.host ?? "", "unknown"])
    }

    /// The length of the body, or -1 if it is unknown. The `Content-Length` of an encoded body is another length.
    override var expectedContentLength: Int64 {
        let encoding = value(forHTTPHeaderField: "Content-Encoding")?.lowercased() ?? "identity"
        let length = value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) } ?? -1
        return encoding == "identity" ? max(length, -1) : -1
    }

    /// The media type in lowercase, without parameters.
    override var mimeType: String? {
        let type = value(forHTTPHeaderField: "Content-Type")?.prefix { $0 != ";" } ?? ""
        let trimmed = type.trimmingCharacters(in: .whitespaces).lowercased()
        return trimmed.isEmpty ? nil : trimmed
    }

    /// The parameter `charset` of the media type, in lowercase.
    override var textEncodingName: String? {
        let name = value(forHTTPHeaderField: "Content-Type").flatMap { FieldParameters($0).values("charset").first }
        return name?.trimmingCharacters(in: .whitespaces).lowercased()
    }
}
