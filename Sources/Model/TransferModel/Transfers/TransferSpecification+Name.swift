// SPDX-License-Identifier: Apache-2.0

extension TransferSpecification {
    /// The name of the transfer, as shown to users: the file's name, or the URL without secrets.
    public var displayName: String {
        if let upload { return upload.shownPath.split(separator: "/").last.map(String.init) ?? upload.shownPath }
        // A session's own files have generated names.
        if !keepsResponseHead, let name = destination.name { return name }
        let url = Self.redacted(url: url)
        // Bytes are faster than characters: at its start, the daemon needs the names of thousands of transfers.
        let last = url.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? url
        let escape = UInt8(ascii: "%")
        guard last.utf8.contains(escape), let decoded = EscapedText.decoded(last[...], escape: escape) else {
            return last
        }
        // D-Bus cannot carry a NUL, so one such name would make a whole list unusable. A slash would suggest a
        // folder.
        let isName = decoded.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
        return isName ? decoded : last
    }
}
