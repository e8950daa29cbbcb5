// SPDX-License-Identifier: Apache-2.0

extension ResponseHead {
    /// The number of bytes that the server reports, or `nil` if the field is missing or invalid.
    var uploadOffset: Int64? {
        guard let text = value("Upload-Offset")?.filter({ $0 != " " }), let offset = Int64(text), offset >= 0 else {
            return nil
        }
        return offset
    }

    /// The value of `Upload-Complete`, or `nil` if the field is missing or invalid.
    var saysUploadIsComplete: Bool? {
        switch value("Upload-Complete")?.filter({ $0 != " " }) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// Returns the comma-separated parts of a field, in lowercase.
    func list(_ name: String) -> [String] {
        (value(name) ?? "").lowercased().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    }
}
