// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The transfers that the rest of their window is too short for, and what that was found out with.
struct BlockedBySize: Sendable {
    private(set) var ids: [TransferID] = []
    private var rate: Int64?
    private var zone: LocalTimeRules?

    mutating func append(_ id: TransferID, _ assessment: Assessment) {
        ids.append(id)
        (rate, zone) = (assessment.typicalRate, assessment.conditions.localTime)
    }

    mutating func remove(_ id: TransferID) { ids.removeAll { $0 == id } }

    /// Empties the list and returns it, if the rate or the zone is another one now, or `always`: to remove one after the
    /// other would cost the square of their number.
    mutating func takeAll(_ assessment: Assessment, always: Bool) -> [TransferID] {
        guard !ids.isEmpty,
            always || rate != assessment.typicalRate || zone != assessment.conditions.localTime
        else {
            return []
        }
        defer { ids = [] }
        return ids
    }
}
