// SPDX-License-Identifier: Apache-2.0
package import TransferModel
internal import TransferQueue

/// The explanations of many transfers. Transfers that differ only in their IDs share an explanation.
package struct ExplanationBatch: Sendable {
    /// The explanations, in the order of the first transfer that each belongs to.
    package fileprivate(set) var distinct: [Explanation] = []
    /// The index of each transfer's explanation, in the order of the request; `nil` for an unknown transfer. The array
    /// ends early if the limit of ``distinct`` was reached.
    package fileprivate(set) var indices: [Int?] = []
}

extension Scheduler {
    /// Explains transfers without their past waiting times. Equal transfers are explained once.
    ///
    /// - Parameter limit: The maximum number of explanations. The remaining transfers are left out.
    package func explanations(of ids: [TransferID], at now: ClockReading, limit: Int) -> ExplanationBatch {
        var batch = ExplanationBatch()
        var known: [EntryKey: Int] = [:]
        batch.indices.reserveCapacity(ids.count)
        for id in ids {
            guard let entry = core.transfers.entry(of: id) else {
                batch.indices.append(nil)
                continue
            }
            // An explanation follows from the entry alone, unless something was reported about this transfer.
            let isShared = core.transfers.watches.reasons(of: id) == nil && core.transfers.notices.reported[id] == nil
            let key = EntryKey(entry: entry)
            if isShared, let index = known[key] {
                batch.indices.append(index)
                continue
            }
            guard batch.distinct.count < limit else { break }
            if isShared { known[key] = batch.distinct.count }
            batch.indices.append(batch.distinct.count)
            batch.distinct.append(core.explanation(of: id, entry, at: now, includingWaited: false))
        }
        return batch
    }
}

/// A transfer's state as a key. Only the parts that often differ are hashed, because the state has many parts.
private struct EntryKey: Hashable {
    let entry: TransferEntry

    func hash(into hasher: inout Hasher) {
        hasher.combine(entry.traits.host)
        hasher.combine(entry.traits.app)
        hasher.combine(entry.traits.submitted)
        hasher.combine(entry.traits.expectedBytesToReceive)
    }
}
