// SPDX-License-Identifier: Apache-2.0
package import TransferModel
import TransferPolicy

// Applies the effects of time and conditions.

extension IndexedQueue {
    package mutating func refresh(_ assessment: Assessment, _ changes: SchedulerChanges) {
        let isBackward = assessment.now.wall < waiting.lastWall
        waiting.lastWall = assessment.now.wall
        if changes.policy {
            eligibility.forget()
            waiting.requirements.forgetPhases()
        }
        if isBackward || changes.policy { waiting.refileAll(assessment) }
        waiting.refileDue(assessment)
        budget = (assessment.isBudgeted, false)
        if !waiting.blocked.ids.isEmpty { waiting.refileBlocked(assessment) }
        if waiting.individualCount > 0 { askIndividuals(assessment) }
        eligibility.refresh(
            assessment, waiting.requirements, areConditionsNew: changes.conditions, isBackward: isBackward
        )
    }

    /// Asks a policy without phases about each transfer.
    private mutating func askIndividuals(_ assessment: Assessment) {
        individualsReevaluateAt = nil
        for place in waiting.places() where waiting.records[place].pointee.isIndividual {
            let isReady = waiting.records[place].pointee.position != .nowhere
            switch assessment.verdict(for: waiting.entry(at: place)) {
            case .run: if !isReady { waiting.ready.insert(place, waiting.records) }
            case .hold(_, let look):
                if isReady { waiting.ready.remove(place, waiting.records) }
                individualsReevaluateAt = Verdict.earlier(individualsReevaluateAt, look)
            }
        }
    }

    package mutating func reevaluateAt(
        _ assessment: Assessment, staggeredUntil: Instant?, isWatched: Bool
    ) -> Instant? {
        // Nothing could start, whichever slot becomes free.
        guard !waiting.groups.isFull || isPreemptive, count > 0 else { return nil }
        let now = assessment.now
        var next = waiting.individualCount > 0 ? individualsReevaluateAt : nil
        if isWatched || eligibility.dependsOnState,
            !waiting.ready.filled.isEmpty || waiting.timers.count > 0
        {
            let isDated =
                waiting.timers.count > 0 || waiting.ready.filled.intersects(waiting.requirements.dated)
            let state = eligibility.state
            next = Verdict.earlier(next, isDated ? state.until : state.untilWithoutDeadline)
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
            let renewed = assessment.context.budgets.nextRollOver(
                after: now.wall, localTime: assessment.conditions.localTime)
            next = Verdict.earlier(next, renewed.map(now.instant(of:)))
        }
        guard waiting.timers.count > 0 else { return next }
        return Verdict.earlier(next, waiting.timers.next(after: eligibility.openings, at: now))
    }
}
