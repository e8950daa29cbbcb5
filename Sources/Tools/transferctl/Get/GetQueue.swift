// SPDX-License-Identifier: Apache-2.0
import SQLiteStore
import ToolSupport
import TransferEngine
import TransferModel

/// The plan's transfers as far as earlier runs know of them, by their places in the plan: thousands are not to be held
/// twice.
struct GetQueue {
    /// Those that are to be submitted.
    private(set) var new: [Int] = []
    /// What an earlier run finished of the new ones.
    private(set) var finished: [Int: CompletedFile] = [:]
    /// The states of those that the store has.
    let registry = TransferRegistry(endedLimit: 0)

    /// What the store already knows of the plan goes on under its number; a finished file is remembered, so that only
    /// a changed one is fetched again.
    ///
    /// - Throws: `UsageError` where the store cannot be used.
    init(_ plan: GetPlan, in store: SQLiteStore) async throws {
        do {
            try await goOn(with: plan, in: store)
        } catch let error as TransferStoreError {
            throw UsageError("\(error)")
        }
    }

    private mutating func goOn(with plan: GetPlan, in store: SQLiteStore) async throws {
        let latest = try await store.latest(forKeys: plan.items.map(\.key))
        var changes: [StoreChange] = []
        for (place, item) in plan.items.enumerated() {
            guard let stored = latest[item.key] else {
                new.append(place)
                continue
            }
            switch stored.ending {
            case nil:
                var specification = item.specification
                // Dates that relax with age count from the first command, not from the latest.
                specification.traits.submitted = stored.specification.traits.submitted
                specification.completedBefore = stored.specification.completedBefore
                changes += [
                    .respecified(stored.id, specification), .suspended(stored.id, false), .retried(stored.id, nil),
                ]
            case .completed(_, keeping: let kept?), .failed(_, keeping: let kept?):
                // An earlier run gave up with bytes in hand: a new transfer goes on from them.
                changes.append(.submitted(NewTransfer(item.specification, key: item.key), resume: kept))
            case .completed(let completion, keeping: nil):
                finished[place] = completion.file
                new.append(place)
            case .failed, .cancelled:
                new.append(place)
            }
        }
        _ = try await store.commit(changes)
        var last = TransferID(0)
        while case let some = try await store.unfinished(after: last, limit: 1000), let end = some.last {
            for transfer in some { registry.add(transfer) }
            last = end.id
        }
    }

    /// The transfer at a place of the plan, to be submitted.
    func request(_ place: Int, of plan: GetPlan) -> TransferRequest {
        var specification = plan.items[place].specification
        specification.completedBefore = finished[place]
        return TransferRequest(specification, key: plan.items[place].key)
    }
}
