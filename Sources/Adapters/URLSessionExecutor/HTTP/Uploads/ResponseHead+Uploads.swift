// SPDX-License-Identifier: Apache-2.0

extension ResponseHead {
    /// How many bytes the server says it has; nil where it does not say, or nothing that can be.
    var uploadOffset: Int64? {
        guard let text = value("Upload-Offset")?.filter({ $0 != " " }), let offset = Int64(text), offset >= 0 else {
            return nil
        }
        return offset
    }

    /// What `Upload-Complete` says; nil where it does not.
    var saysUploadIsComplete: Bool? {
        switch value("Upload-Complete")?.filter({ $0 != " " }) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }

    /// The parts of a field with commas, in lower case.
    func list(_ name: String) -> [String] {
        (value(name) ?? "").lowercased().split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    }
}
