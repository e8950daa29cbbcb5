// SPDX-License-Identifier: Apache-2.0

/// The name of a transfer, as shown to users: the file's name, or the URL without secrets.
///
/// ```swift
/// let name = DisplayName(of: specification).text  // "file.iso"
/// ```
public struct DisplayName: Hashable, Sendable {
    /// The name.
    public let text: String

    /// Creates the name of a transfer.
    public init(of specification: TransferSpecification) { text = Self.text(of: specification) }

    private static func text(of specification: TransferSpecification) -> String {
        if let upload = specification.upload {
            return upload.shownPath.split(separator: "/").last.map(String.init) ?? upload.shownPath
        }
        // A session's own files have generated names.
        if !specification.keepsResponseHead, let name = specification.destination.name { return name }
        let url = RedactedURL.text(of: specification.url)
        // Bytes are faster than characters: at its start, the daemon needs the names of thousands of transfers.
        let last = url.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? url
        let escape = UInt8(ascii: "%")
        guard last.utf8.contains(escape), let decoded = EscapedText.decoded(last[...], escape: escape) else {
            return last
        }
        // D-Bus cannot carry a NUL, so one such name would make a whole list unusable. A slash would suggest a
        // folder.
        let isName = decoded.unicodeScalars.allSatisfy { $0 != "/" && (!$0.isUnsafe || $0.isJoiner) }
        return isName ? decoded : last
    }
}
