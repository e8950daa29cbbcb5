// SPDX-License-Identifier: Apache-2.0
package import TransferModel
import TransferPolicy

// Applies the effects of time and conditions.

extension IndexedQueue {
    package mutating func refresh(_ evaluator: PolicyEvaluator, _ changes: SchedulerChanges) {
        let isBackward = evaluator.now.wall < waiting.lastWall
        waiting.lastWall = evaluator.now.wall
        if changes.policy { eligibility.forget() }
        // The history, from which tables may follow, changes with the conditions only.
        let hasNewTables = (changes.conditions || changes.policy) && waiting.updateTableKey(evaluator)
        if changes.policy || hasNewTables { waiting.requirements.forgetTables() }
        if isBackward || changes.policy || hasNewTables {
            waiting.refileAll(evaluator)
        } else if changes.plan {
            waiting.refileDated(evaluator)
        }
        waiting.refileDue(evaluator)
        budget = (evaluator.isBudgeted, false)
        waiting.groups.serverWaitEnd = nil
        if !waiting.blocked.ids.isEmpty { waiting.refileBlocked(evaluator) }
        if !waiting.individuals.isEmpty { evaluateIndividuals(evaluator) }
        eligibility.refresh(
            evaluator, waiting.requirements, areConditionsNew: changes.conditions, isBackward: isBackward
        )
    }

    /// Evaluates each transfer that the policy decides individually.
    private mutating func evaluateIndividuals(_ evaluator: PolicyEvaluator) {
        individualsReevaluateAt = nil
        let individuals = waiting.individuals
        individuals.forEach(in: individuals) { recordIndex in
            let isReady = waiting.records[recordIndex].pointee.position != .noIndex
            switch evaluator.verdict(for: waiting.entry(at: recordIndex)) {
            case .run: if !isReady { waiting.ready.insert(recordIndex, waiting.records) }
            case .wait(_, let reevaluation):
                if isReady { waiting.ready.remove(recordIndex, waiting.records) }
                individualsReevaluateAt = Verdict.earlier(individualsReevaluateAt, reevaluation)
            }
        }
    }

    package mutating func reevaluateAt(
        _ evaluator: PolicyEvaluator, staggeredUntil: Instant?, isWatched: Bool
    ) -> Instant? {
        // Nothing could start, whichever slot becomes free.
        guard !waiting.groups.isFull || isPreemptive, count > 0 else { return nil }
        let now = evaluator.now
        var next = waiting.individuals.isEmpty ? nil : individualsReevaluateAt
        if isWatched || eligibility.dependsOnState,
            !waiting.ready.filled.isEmpty || waiting.timers.count > 0
        {
            next = Verdict.earlier(next, eligibility.state.until)
        }
        eligibility.pending.forEach(in: waiting.ready.filled) { number in
            if let opening = eligibility.opening(of: number, waiting.requirements) {
                next = Verdict.earlier(next, opening.instant(at: now))
            }
        }
        if let staggeredUntil, now.instant < staggeredUntil {
            eligibility.open.forEach(in: waiting.ready.filled) { number in
                if waiting.requirements.staggered.contains(number) {
                    next = Verdict.earlier(next, staggeredUntil)
                }
            }
        }
        if budget.isSpent {
            let renewed = evaluator.context.budgets.nextRollOver(
                after: now.wall, localTime: evaluator.conditions.localTime)
            next = Verdict.earlier(next, renewed.map(now.instant(of:)))
        }
        next = Verdict.earlier(next, waiting.groups.serverWaitEnd)
        guard waiting.timers.count > 0 else { return next }
        return Verdict.earlier(next, waiting.timers.next(after: eligibility.openings, at: now))
    }
}
