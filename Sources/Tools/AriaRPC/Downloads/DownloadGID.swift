// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The identifier of a download for callers: aria2's GID, 16 hexadecimal digits of the transfer's number.
enum DownloadGID {
    /// Returns the GID of a transfer.
    static func text(_ id: TransferID) -> String {
        let digits = String(id.rawValue, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }

    /// Returns the transfer that a GID identifies.
    ///
    /// - Throws: `RPCFault` if the text is no GID. aria2's abbreviations are not supported.
    static func transfer(_ text: String) throws(RPCFault) -> TransferID {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let number = Int64(text, radix: 16)
        else { throw RPCFault("Invalid GID '\(text.prefix(40))': use the 16 hexadecimal digits from addUri") }
        return TransferID(number)
    }
}
