// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// News that a caller was not told, because it does not read what it is sent: kept as what has changed, not as messages, so
/// that a caller that is stopped for a week costs a bounded number of bytes (rule C7).
struct MissedNews {
    var transfers: Set<TransferID> = []
    /// The interfaces of objects whose properties have changed, by their paths.
    var objects: [String: String] = [:]
    /// Whether properties of the manager have changed.
    var manager = false

    mutating func forgetTransfers() { (transfers, manager) = ([], false) }

    var count: Int { transfers.count + objects.count }
}
