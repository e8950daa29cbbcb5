// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import ToolSupport
import TransferEngine
import TransferModel

/// The plan's transfers, compared with those of earlier runs. Transfers are identified by their index in the plan, so
/// that thousands of them are not stored twice.
struct GetQueue {
    /// The indices of the transfers to submit.
    private(set) var newIndices: [Int] = []
    /// The files that an earlier run completed, by the indices of new transfers.
    private(set) var finished: [Int: CompletedFile] = [:]
    /// The states of the transfers that the store has.
    let registry = TransferRegistry(endedLimit: 0)

    /// Finds the plan's transfers in the store. A known transfer continues under its ID.
    ///
    /// A completed file is remembered, so that it is fetched again only if it has changed.
    ///
    /// - Throws: `UsageError` if the store cannot be used.
    init(_ plan: GetPlan, in store: SQLiteStore) async throws {
        do {
            try await continueTransfers(with: plan, in: store)
        } catch let error as TransferStoreError {
            throw UsageError("\(error)")
        }
    }

    private mutating func continueTransfers(with plan: GetPlan, in store: SQLiteStore) async throws {
        let latest = try await store.latest(forKeys: plan.items.map(\.key))
        var changes: [StoreChange] = []
        for (index, item) in plan.items.enumerated() {
            guard let stored = latest[item.key] else {
                newIndices.append(index)
                continue
            }
            switch stored.ending {
            case nil:
                var specification = item.specification
                // Policies relax with age. The age counts from the first command, not from the latest.
                specification.traits.submitted = stored.specification.traits.submitted
                specification.completedBefore = stored.specification.completedBefore
                changes += [
                    .respecified(stored.id, specification), .suspended(stored.id, false), .retried(stored.id, nil),
                ]
            case .completed(_, keeping: let keptData?), .failed(_, keeping: let keptData?):
                // An earlier run gave up with partial data. A new transfer continues from that data.
                changes.append(.submitted(NewTransfer(item.specification, key: item.key, resume: keptData)))
            case .completed(let completion, keeping: nil):
                finished[index] = completion.file
                newIndices.append(index)
            case .failed, .cancelled:
                newIndices.append(index)
            }
        }
        _ = try await store.commit(changes)
        // Transfers of other commands stay with their commands.
        let known = try await store.latest(forKeys: plan.items.map(\.key)).values.filter { $0.ending == nil }
        for transfer in known.sorted(by: { $0.id < $1.id }) { registry.add(transfer) }
    }

    /// Returns the transfer at an index of the plan, ready to be submitted.
    func request(_ index: Int, of plan: GetPlan) -> TransferRequest {
        var specification = plan.items[index].specification
        specification.completedBefore = finished[index]
        return TransferRequest(specification, key: plan.items[index].key)
    }
}
