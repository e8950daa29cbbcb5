// SPDX-License-Identifier: Apache-2.0
package import TransferModel
import TransferPolicy

// What time and conditions change.

extension IndexedQueue {
    package mutating func refresh(_ assessment: Assessment, _ changes: SchedulerChanges) {
        let now = assessment.now
        let isBackward = now.wall < lastWall
        lastWall = now.wall
        if changes.policy {
            eligibility.forget()
            requirements.forgetPhases()
        }
        if isBackward || changes.policy {
            refileBlocked(assessment, always: true)
            for place in places() { refile(place, assessment) }
        }
        for clock in Clock.allCases where timers.areDue(clock, at: now) {
            for place in timers.removeDue(clock, at: now, records) { refile(place, assessment) }
        }
        budget = (assessment.isBudgeted, false)
        if !blocked.ids.isEmpty { refileBlocked(assessment, always: false) }
        if individuals.count > 0 { askIndividuals(assessment) }
        eligibility.refresh(
            assessment, requirements, areConditionsNew: changes.conditions, isBackward: isBackward)
    }

    private mutating func refileBlocked(_ assessment: Assessment, always: Bool) {
        for id in blocked.takeAll(assessment, always: always) {
            if let place = index.find(id.rawValue) { refile(place, assessment) }
        }
    }

    /// Asks a policy without phases about each transfer.
    private mutating func askIndividuals(_ assessment: Assessment) {
        individuals.reevaluateAt = nil
        for place in places() where records[place].pointee.isIndividual {
            let isReady = records[place].pointee.position != .nowhere
            switch assessment.verdict(for: entry(at: place)) {
            case .run: if !isReady { ready.insert(place, records) }
            case .hold(_, let look):
                if isReady { ready.remove(place, records) }
                individuals.reevaluateAt = Verdict.earlier(individuals.reevaluateAt, look)
            }
        }
    }

    package mutating func reevaluateAt(
        _ assessment: Assessment, staggeredUntil: Instant?, isWatched: Bool
    ) -> Instant? {
        // Whatever comes free, nothing could start.
        guard !groups.isFull || isPreemptive, count > 0 else { return nil }
        let now = assessment.now
        var next = individuals.count > 0 ? individuals.reevaluateAt : nil
        if isWatched || eligibility.dependsOnState, !ready.filled.isEmpty || timers.count > 0 {
            let isDated = timers.count > 0 || ready.filled.intersects(requirements.dated)
            let state = eligibility.state
            next = Verdict.earlier(next, isDated ? state.until : state.untilWithoutDeadline)
        }
        eligibility.pending.forEach(in: ready.filled) { number in
            if let opening = eligibility.opening(of: number, requirements) {
                next = Verdict.earlier(next, opening.instant(at: now))
            }
        }
        if let staggeredUntil, now.instant < staggeredUntil {
            eligibility.open.forEach(in: ready.filled) { number in
                if requirements.staggered.contains(number) { next = Verdict.earlier(next, staggeredUntil) }
            }
        }
        if budget.isSpent {
            let renewed = assessment.context.budgets.nextRollOver(
                after: now.wall, localTime: assessment.conditions.localTime)
            next = Verdict.earlier(next, renewed.map(now.instant(of:)))
        }
        return timers.count > 0 ? Verdict.earlier(next, nextTimer(at: now)) : next
    }

    /// The next timer, or end of a wait behind it, of a requirement set of which anything may run by then.
    private mutating func nextTimer(at now: Moment) -> Instant? {
        var (next, boot, wall): (Instant?, Int64, Int64) = (nil, .max, .max)
        for set in eligibility.openings.indices {
            guard let opening = eligibility.openings[set] else { continue }
            let nextBoot = timers.next(ofSet: Int32(set), .boot, records)
            let nextWall = timers.next(ofSet: Int32(set), .wall, records)
            if opening.isNow {
                (boot, wall) = (min(boot, nextBoot ?? .max), min(wall, nextWall ?? .max))
                continue
            }
            if let nextBoot {
                let both = Opening(boot: max(opening.boot, nextBoot), wall: opening.wall)
                next = Verdict.earlier(next, both.instant(at: now))
            }
            if let nextWall {
                let both = Opening(boot: opening.boot, wall: max(opening.wall, nextWall))
                next = Verdict.earlier(next, both.instant(at: now))
            }
        }
        if boot != .max { next = Verdict.earlier(next, Instant(nanoseconds: boot)) }
        return wall == .max ? next : Verdict.earlier(next, Opening(wall: wall).instant(at: now))
    }
}
