// SPDX-License-Identifier: Apache-2.0

/// The limits of a server: `Upload-Limit` of the draft of resumable uploads, and `Tus-Max-Size` of tus.
///
/// `max-age` and the older `expires` need no rule. An expired upload URL returns 404, and the upload
/// restarts. `min-append-size` needs no rule either. Parts are as large as allowed, and the last part is exempt.
struct UploadLimits: Hashable, Sendable {
    /// The maximum size of an upload in bytes. `nil` means no limit.
    var maximumSize: Int64?
    /// The maximum size of a single request's body in bytes. `nil` means no limit.
    var maximumAppend: Int64?

    /// Updates the limits from a head. Limits that the head does not mention stay unchanged.
    mutating func update(_ head: ResponseHead) {
        for member in (head.value("Upload-Limit") ?? "").split(separator: ",") {
            // The field is a dictionary of integers (RFC 9651 §3.2). The parameters of each member have no meaning
            // here.
            let pair = member.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, let number = Int64(pair[1].filter { $0 != " " && $0 != "\t" }), number >= 0 else {
                continue
            }
            switch pair[0].filter({ $0 != " " && $0 != "\t" }) {
            case "max-size": maximumSize = number
            // A limit of 0 would allow no upload.
            case "max-append-size" where number > 0: maximumAppend = number
            default: continue
            }
        }
        if let text = head.value("Tus-Max-Size"), let number = Int64(text), number >= 0 { maximumSize = number }
    }
}
