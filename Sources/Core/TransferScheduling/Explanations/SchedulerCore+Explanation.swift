// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

extension SchedulerCore where Queue: ~Copyable {
    /// Explains why a transfer waits at `now`; returns nil if there is no such transfer.
    func explanation(of id: TransferID, at now: Moment) -> Explanation? {
        guard var entry = entry(of: id) else { return nil }
        let isLate = entry.traits.constraints.deadline.map { $0.date < now.wall } ?? false
        if case .running = entry.phase {
            return Explanation(holds: [], remedies: [], nextLook: nil, isLate: isLate)
        }
        if case .stopping(let after) = entry.phase {
            entry.phase = after == .pause ? .paused(since: now) : .waiting(nil)
        }
        var looking = assessment
        looking.context.now = now
        return Explainer(assessment: looking, fullSlots: queue.fullSlots(for: entry.traits), drain: drain).explanation(
            of: entry, watches.holds(of: id) ?? [], isLate: isLate, journal)
    }

    /// Tells the watchers of a transfer if it waits for other reasons than before.
    mutating func explainToWatchers(at now: Moment, into effects: inout [Effect]) {
        watches.look = nil
        for index in watches.indices {
            let id = watches[index].id
            guard !holdsSlot(id), let entry = queue.entry(of: id) else { continue }
            let explainer = Explainer(
                assessment: assessment, fullSlots: queue.fullSlots(for: entry.traits), drain: drain)
            let (holds, look) = explainer.holds(of: entry)
            watches.look = Verdict.earlier(watches.look, look)
            if watches.note(at: index, holds) { effects.append(.explain(id)) }
        }
    }
}
