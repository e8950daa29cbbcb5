// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The validation of header fields from the bus. Transfers and sessions share it (rule C8).
enum HeaderChecks {
    /// Parses the cookies of a transfer.
    ///
    /// - Throws: `BusFault` that names the key, and never a value.
    static func cookies(_ lines: [String]?, headers: [HeaderField]) throws(BusFault) -> [Cookie]? {
        guard let lines, !lines.isEmpty else { return nil }
        guard !headers.contains(where: { $0.name.lowercased() == "cookie" }) else {
            throw BusFault(.invalidArgument, "'cookies' and a header field 'Cookie' are mutually exclusive")
        }
        guard lines.reduce(0, { $0 + $1.utf8.count }) <= CallerLimits.headerBytes else {
            throw BusFault(.invalidArgument, "'cookies' have more than \(CallerLimits.headerBytes) bytes")
        }
        let cookies = lines.compactMap { Cookie(line: $0) }
        guard cookies.count == lines.count else {
            throw BusFault(.invalidArgument, "'cookies': not a line of a cookie file (seven fields separated by tabs)")
        }
        return cookies
    }

    /// Refuses header fields that cannot be sent, and more than ``CallerLimits/headerBytes`` bytes.
    ///
    /// - Throws: `BusFault` that names the key and the field.
    static func check(_ headers: [HeaderField], _ key: String = "headers") throws(BusFault) {
        let size = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard size <= CallerLimits.headerBytes else {
            throw BusFault(
                .invalidArgument, "'\(key)' have \(size) bytes; the maximum is \(CallerLimits.headerBytes)")
        }
        for header in headers {
            let words: String
            switch header.fault {
            case nil: continue
            case .noName?: words = "'\(header.name.prefix(40))' is not a valid header field name"
            case .controlCharacter?: words = "the value of '\(header.name)' contains control characters"
            case .reserved?: words = "'\(header.name)' is set by the transfer and cannot be specified"
            }
            throw BusFault(.invalidArgument, "'\(key)': \(words)")
        }
    }
}
