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
        guard last.utf8.contains(UInt8(ascii: "%")), let decoded = Self.percentDecoded(last) else { return last }
        // D-Bus carries no NUL, so that one such name would spoil a whole list; and a slash would pretend a folder.
        let isName = decoded.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
        return isName ? decoded : last
    }

    /// The text without percent-encoding (RFC 3986, 2.1); nil if an escape is malformed or the bytes are no UTF-8.
    private static func percentDecoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
