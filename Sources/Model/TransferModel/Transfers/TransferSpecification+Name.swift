// SPDX-License-Identifier: Apache-2.0

extension TransferSpecification {
    /// The name that a person knows the transfer by: the file's, or the URL without secrets.
    public var displayName: String {
        if let upload { return upload.shownPath.split(separator: "/").last.map(String.init) ?? upload.shownPath }
        // A session's own files have names that no person gave.
        if !keepsAnswerHead, let name = destination.name { return name }
        let url = Self.redacted(url: url)
        // By bytes: a daemon that starts asks for the names of thousands.
        let last = url.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? url
        let escape = UInt8(ascii: "%")
        guard last.utf8.contains(escape), let decoded = EscapedText.decoded(last[...], escape: escape) else {
            return last
        }
        // D-Bus carries no NUL, so that one such name would spoil a whole list; and a slash would pretend a folder.
        let isName = decoded.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
        return isName ? decoded : last
    }
}
