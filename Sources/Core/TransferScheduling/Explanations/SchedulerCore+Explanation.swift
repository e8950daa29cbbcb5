// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

extension SchedulerCore where Queue: ~Copyable {
    /// Explains why the transfer with this state waits at `now`.
    func explanation(
        of id: TransferID, _ entry: TransferEntry, at now: ClockReading, includingWaited includesWaited: Bool
    ) -> Explanation {
        var entry = entry
        let isLate = entry.traits.constraints.deadline.map { $0.date < now.wall } ?? false
        let state = transfers.notices.reported[id]
        if case .stopping(let after) = entry.phase {
            entry.phase = after == .pause ? .paused(since: now) : .waiting(nil)
        }
        var current = evaluator
        current.context.now = now
        let explainer = Explainer(
            evaluator: current, fullSlots: transfers.queue.fullSlots(for: entry.traits), staggeredStart: staggeredStart)
        if case .running = entry.phase {
            return Explanation(
                reasons: [], remedies: [], nextReevaluation: nil, isLate: isLate,
                deadline: explainer.outlook(of: entry, state, start: nil))
        }
        return explainer.explanation(
            of: entry, transfers.watches.reasons(of: id) ?? [], isLate: isLate, state, includesWaited ? journal : nil)
    }

    /// Requests a report to the watchers of each transfer whose wait reasons have changed.
    mutating func explainToWatchers(at now: ClockReading, into effects: inout [Effect]) {
        transfers.watches.reevaluation = nil
        for index in transfers.watches.indices { explainToWatcher(index, at: now, into: &effects) }
    }

    /// Requests a report to the watchers of a transfer if its wait reasons have changed.
    mutating func explainToWatcher(_ index: Int, at now: ClockReading, into effects: inout [Effect]) {
        let id = transfers.watches[index].id
        guard transfers.active.number(of: id) == nil, let entry = transfers.queue.entry(of: id) else { return }
        let explainer = Explainer(
            evaluator: evaluator, fullSlots: transfers.queue.fullSlots(for: entry.traits),
            staggeredStart: staggeredStart)
        let (reasons, reevaluation) = explainer.reasons(of: entry)
        transfers.watches.reevaluation = Verdict.earlier(transfers.watches.reevaluation, reevaluation)
        if entry.traits.constraints.price != nil {
            // A price that changes on one side of the limit starts nothing, but the reason names the price.
            let change = evaluator.conditions.priceCurve.value?.nextChange(after: now.wall)
            transfers.watches.reevaluation = Verdict.earlier(
                transfers.watches.reevaluation, change.map(now.instant(of:)))
        }
        if transfers.watches.record(at: index, reasons) { effects.append(.explain(id)) }
    }
}
