// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The news that a caller did not receive because it does not read its messages. Keeps what has changed instead of
/// the messages, so that a caller that is stopped for a week costs a bounded amount of memory (rule C7).
struct MissedNews {
    var transfers: Set<TransferID> = []
    /// The interfaces of objects with changed properties, by path.
    var objects: [String: String] = [:]
    /// Whether properties of the manager have changed.
    var manager = false

    mutating func forgetTransfers() { (transfers, manager) = ([], false) }

    var count: Int { transfers.count + objects.count }
}
