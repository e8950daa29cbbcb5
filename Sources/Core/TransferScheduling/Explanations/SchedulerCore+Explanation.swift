// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

extension SchedulerCore where Queue: ~Copyable {
    /// Explains why a transfer waits at `now`; returns nil if there is no such transfer.
    func explanation(of id: TransferID, at now: Moment) -> Explanation? {
        guard var entry = transfers.entry(of: id) else { return nil }
        let isLate = entry.traits.constraints.deadline.map { $0.date < now.wall } ?? false
        if case .running = entry.phase {
            return Explanation(holds: [], remedies: [], nextLook: nil, isLate: isLate)
        }
        if case .stopping(let after) = entry.phase {
            entry.phase = after == .pause ? .paused(since: now) : .waiting(nil)
        }
        var looking = assessment
        looking.context.now = now
        return Explainer(assessment: looking, fullSlots: transfers.queue.fullSlots(for: entry.traits), drain: drain)
            .explanation(
                of: entry, transfers.watches.holds(of: id) ?? [], isLate: isLate, journal)
    }

    /// Requests a report to the watchers of each transfer whose wait reasons have changed.
    mutating func explainToWatchers(at now: Moment, into effects: inout [Effect]) {
        transfers.watches.look = nil
        for index in transfers.watches.indices {
            let id = transfers.watches[index].id
            guard transfers.active.number(of: id) == nil, let entry = transfers.queue.entry(of: id) else { continue }
            let explainer = Explainer(
                assessment: assessment, fullSlots: transfers.queue.fullSlots(for: entry.traits), drain: drain)
            let (holds, look) = explainer.holds(of: entry)
            transfers.watches.look = Verdict.earlier(transfers.watches.look, look)
            if transfers.watches.note(at: index, holds) { effects.append(.explain(id)) }
        }
    }
}
