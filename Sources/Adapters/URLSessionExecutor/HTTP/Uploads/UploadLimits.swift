// SPDX-License-Identifier: Apache-2.0

/// What a server takes: `Upload-Limit` of the draft of resumable uploads, and `Tus-Max-Size` of tus.
///
/// `max-age` and the older `expires` need no rule: a place that is gone answers 404, and the upload starts over. Nor does
/// `min-append-size`: parts are as large as they may be, and the last one is exempt.
struct UploadLimits: Hashable, Sendable {
    /// No upload may be larger; nil is no limit.
    var maximumSize: Int64?
    /// No single request may carry more of it; nil is no limit.
    var maximumAppend: Int64?

    /// Takes what a head says; what it does not speak of stays.
    mutating func note(_ head: ResponseHead) {
        for member in (head.value("Upload-Limit") ?? "").split(separator: ",") {
            // A dictionary of integers (RFC 9651 §3.2), each with parameters that mean nothing here.
            let parts = member.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let number = Int64(parts[1].filter { $0 != " " && $0 != "\t" }), number >= 0 else {
                continue
            }
            switch parts[0].filter({ $0 != " " && $0 != "\t" }) {
            case "max-size": maximumSize = number
            // Nothing could ever be sent.
            case "max-append-size" where number > 0: maximumAppend = number
            default: continue
            }
        }
        if let text = head.value("Tus-Max-Size"), let number = Int64(text), number >= 0 { maximumSize = number }
    }
}
