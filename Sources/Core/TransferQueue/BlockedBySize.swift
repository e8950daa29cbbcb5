// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The transfers that are too long for the rest of their window, with the rate and time zone that led to this result.
struct BlockedBySize: Sendable {
    private(set) var ids: [TransferID] = []
    private var rate: Int64?
    private var zone: LocalTimeRules?

    mutating func append(_ id: TransferID, _ evaluator: PolicyEvaluator) {
        ids.append(id)
        (rate, zone) = (evaluator.typicalRate, evaluator.conditions.localTime)
    }

    mutating func remove(_ id: TransferID) { ids.removeAll { $0 == id } }

    /// Empties the list and returns it if the rate or the time zone has changed, or if `always` is true. Otherwise
    /// returns an empty array. Removing transfers one by one would take quadratic time.
    mutating func removeAll(_ evaluator: PolicyEvaluator, always: Bool) -> [TransferID] {
        guard !ids.isEmpty,
            always || rate != evaluator.typicalRate || zone != evaluator.conditions.localTime
        else {
            return []
        }
        defer { ids = [] }
        return ids
    }
}
