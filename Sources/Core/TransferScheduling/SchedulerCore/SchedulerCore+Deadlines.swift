// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// The plan that estimates use, and the reports about deadlines.

extension SchedulerCore where Queue: ~Copyable {
    /// Replaces the plan if the rate of the connection or the backlog has changed enough.
    mutating func refreshPlan() {
        guard transfers.haveDeadlines else { return }
        if evaluator.plan.updateRate(in: evaluator.context, limit: configuration.rateLimit) {
            transfers.changes.plan = true
            transfers.notices.checkAll()
        }
        if let (marks, growth) = transfers.backlog.newMarks() {
            evaluator.plan.marks = marks
            transfers.changes.plan = true
            transfers.notices.backlogGrew(by: growth)
        }
    }

    /// A Boolean value that indicates whether the rate of the connection calls for another plan.
    var isPlanOutdated: Bool {
        transfers.haveDeadlines
            && evaluator.plan.newRate(in: evaluator.context, limit: configuration.rateLimit) != nil
    }

    /// Reports the deadlines that can no longer be met, and those that have passed.
    mutating func checkDeadlines(at now: ClockReading, into effects: inout [Effect]) {
        while let id = transfers.notices.popDue(at: now.wall) {
            guard let entry = transfers.entry(of: id) else { continue }
            // A running transfer is checked with each report of its progress, and needs no estimate here.
            let estimate = entry.phase.isRunning ? nil : evaluator.plan.estimate(of: entry)
            check(id, before: entry.traits.constraints.deadline?.date, estimate, at: now, into: &effects)
        }
    }

    /// Reports a transfer whose deadline has passed or is at risk, and schedules the next check.
    private mutating func check(
        _ id: TransferID, before deadline: WallTime?, _ estimate: TransferEstimate?, at now: ClockReading,
        into effects: inout [Effect]
    ) {
        guard let deadline else { return }
        guard deadline > now.wall else { return transfers.notices.report(.missed, of: id, into: &effects) }
        guard transfers.notices.reported[id] == nil, let estimate else {
            return transfers.notices.check(id, at: deadline)
        }
        let latest = deadline.advanced(by: .zero - estimate.need)
        guard latest <= now.wall else {
            return transfers.notices.check(id, at: latest, rate: min(estimate.rate, estimate.backlogRate))
        }
        transfers.notices.report(.atRisk, of: id, into: &effects)
        transfers.notices.check(id, at: deadline)
    }

    /// Reports a running transfer that cannot end by its deadline at its present rate.
    mutating func checkProgress(
        of id: TransferID, _ entry: borrowing TransferEntry, at now: ClockReading, into effects: inout [Effect]
    ) {
        guard configuration.keepsDeadlines, let deadline = entry.traits.constraints.deadline?.date,
            deadline > now.wall, transfers.notices.reported[id] == nil, let remaining = entry.bytesRemaining,
            let rate = entry.rate,
            Double(now.wall.duration(to: deadline).wholeNanoseconds) / 1e9 < Double(remaining) / Double(max(1, rate))
        else { return }
        transfers.notices.report(.atRisk, of: id, into: &effects)
    }
}
