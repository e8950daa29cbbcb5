// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

extension SchedulerCore where Queue: ~Copyable {
    /// Explains why a transfer waits at `now`; returns `nil` if the transfer is unknown.
    func explanation(of id: TransferID, at now: ClockReading) -> Explanation? {
        guard var entry = transfers.entry(of: id) else { return nil }
        let isLate = entry.traits.constraints.deadline.map { $0.date < now.wall } ?? false
        if case .running = entry.phase {
            return Explanation(reasons: [], remedies: [], nextReevaluation: nil, isLate: isLate)
        }
        if case .stopping(let after) = entry.phase {
            entry.phase = after == .pause ? .paused(since: now) : .waiting(nil)
        }
        var current = evaluator
        current.context.now = now
        return Explainer(
            evaluator: current, fullSlots: transfers.queue.fullSlots(for: entry.traits), staggeredStart: staggeredStart
        )
        .explanation(
            of: entry, transfers.watches.reasons(of: id) ?? [], isLate: isLate, journal)
    }

    /// Requests a report to the watchers of each transfer whose wait reasons have changed.
    mutating func explainToWatchers(at now: ClockReading, into effects: inout [Effect]) {
        transfers.watches.reevaluation = nil
        for index in transfers.watches.indices {
            let id = transfers.watches[index].id
            guard transfers.active.number(of: id) == nil, let entry = transfers.queue.entry(of: id) else { continue }
            let explainer = Explainer(
                evaluator: evaluator, fullSlots: transfers.queue.fullSlots(for: entry.traits),
                staggeredStart: staggeredStart)
            let (reasons, reevaluation) = explainer.reasons(of: entry)
            transfers.watches.reevaluation = Verdict.earlier(transfers.watches.reevaluation, reevaluation)
            if transfers.watches.record(at: index, reasons) { effects.append(.explain(id)) }
        }
    }
}
