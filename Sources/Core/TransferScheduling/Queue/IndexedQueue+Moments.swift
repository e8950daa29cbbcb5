// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

// What time alone changes.

extension IndexedQueue {
    mutating func setTimer(_ place: Int32, _ family: Int32, boot instant: Instant) {
        records[place].pointee.timer = timers.insert(place, family: family, .boot, at: instant.nanoseconds)
        records[place].pointee.state.insert(.bootTimer)
        familyMoments.note(family, boot: instant.nanoseconds)
    }

    mutating func setTimer(_ place: Int32, _ family: Int32, wall date: WallTime) {
        records[place].pointee.timer = timers.insert(
            place, family: family, .wall, at: date.nanosecondsSinceEpoch)
        records[place].pointee.state.insert(.wallTimer)
        familyMoments.note(family, wall: date.nanosecondsSinceEpoch)
    }

    mutating func cancelTimer(_ place: Int32) {
        let state = records[place].pointee.state
        guard !state.isDisjoint(with: [.bootTimer, .wallTimer]) else { return }
        timers.cancel(
            records[place].pointee.timer, family: family(of: place), state.contains(.bootTimer) ? .boot : .wall)
        records[place].pointee.state.subtract([.bootTimer, .wallTimer])
        familyMoments.isKnown = false
    }

    // In line, or it would be asked of a copy of the queue.
    @inline(__always)
    private func family(of place: Int32) -> Int32 {
        let shelf = appQueues[buckets[records[place].pointee.bucket].pointee.appQueue].pointee.shelf
        return requirements.classes[Int(shelves[shelf].pointee.number)].family
    }

    mutating func refresh(_ assessment: Assessment, _ changes: SchedulerChanges) {
        let now = assessment.now
        let isBackward = now.wall < lastWall
        lastWall = now.wall
        if changes.contains(.policy) {
            availability.forget()
            requirements.forgetStages()
        }
        if isBackward || changes.contains(.policy) { resettleAll(assessment) }
        moveLapsed(assessment)
        (isBudgeted, isHeldByBudget) = (assessment.isBudgeted, false)
        if !misfits.isEmpty,
            rateOfMisfits != assessment.typicalRate || zoneOfMisfits != assessment.conditions.localTime
        {
            relinkMisfits(assessment)
        }
        if individuals > 0 { askIndividuals(assessment) }
        if availability.refresh(assessment, requirements, changes, isBackward: isBackward) {
            familyMoments.isKnown = false
        }
    }

    private mutating func resettleAll(_ assessment: Assessment) {
        _ = takeMisfits()
        for id in sortedIDs() {
            if let place = place(of: id) { resettle(place, assessment) }
        }
    }

    /// Empties the list of misfits: taking them out one by one costs the square of their number.
    private mutating func takeMisfits() -> [TransferID] {
        for id in misfits {
            if let place = place(of: id.rawValue) { records[place].pointee.state.remove(.misfit) }
        }
        defer { misfits = [] }
        return misfits
    }

    /// Puts what has waited long enough to where it belongs now.
    private mutating func moveLapsed(_ assessment: Assessment) {
        while let place = timers.popFirst(.boot, dueAt: assessment.now.instant.nanoseconds) {
            lapse(place, assessment)
        }
        while let place = timers.popFirst(.wall, dueAt: assessment.now.wall.nanosecondsSinceEpoch) {
            lapse(place, assessment)
        }
    }

    private mutating func lapse(_ place: Int32, _ assessment: Assessment) {
        familyMoments.isKnown = false
        records[place].pointee.state.subtract([.bootTimer, .wallTimer])
        resettle(place, assessment)
    }

    private mutating func relinkMisfits(_ assessment: Assessment) {
        (rateOfMisfits, zoneOfMisfits) = (assessment.typicalRate, assessment.conditions.localTime)
        for id in takeMisfits() {
            if let place = place(of: id.rawValue) { resettle(place, assessment) }
        }
    }

    /// Takes a transfer's turn away until its window closes.
    mutating func setAside(_ place: Int32, for time: Duration, _ assessment: Assessment) {
        let family = family(of: place)
        unlink(place)
        cancelTimer(place)
        records[place].pointee.state.insert(.misfit)
        misfits.append(TransferID(records[place].pointee.id))
        (rateOfMisfits, zoneOfMisfits) = (assessment.typicalRate, assessment.conditions.localTime)
        setTimer(place, family, wall: assessment.now.wall.advanced(by: time))
    }

    /// Asks a policy without stages about each transfer.
    private mutating func askIndividuals(_ assessment: Assessment) {
        individualLook = nil
        for place in 0..<records.used where records[place].pointee.state.contains(.individual) {
            switch assessment.verdict(for: entry(at: place)) {
            case .run:
                if !records[place].pointee.isLinked { link(place) }
            case .hold(_, let look):
                if records[place].pointee.isLinked { unlink(place) }
                individualLook = Verdict.earlier(individualLook, look)
            }
        }
    }

    @inline(__always)
    mutating func nextMoment(_ assessment: Assessment, gate: Instant?, isWatched: Bool) -> Instant? {
        // Whatever comes free, nothing could start.
        guard running < globalSlots || isPreemptive, !records.isEmpty else { return nil }
        return nextOpening(assessment, gate: gate, isWatched: isWatched)
    }

    private mutating func nextOpening(_ assessment: Assessment, gate: Instant?, isWatched: Bool) -> Instant? {
        let now = assessment.now
        var next = individuals > 0 ? individualLook : nil
        if isWatched || availability.isMoody, !filledClasses.isEmpty || timers.count > 0 {
            let isDated = timers.count > 0 || filledClasses.intersects(dated)
            next = Verdict.earlier(next, isDated ? availability.nextMood : availability.nextMoodWithoutDeadline)
        }
        if availability.pending.intersects(filledClasses) {
            availability.pending.forEach(in: filledClasses) { number in
                if let opening = availability.opening(of: number) {
                    next = Verdict.earlier(next, opening.instant(at: now))
                }
            }
        }
        if let gate, now.instant < gate, availability.classes.intersects(filledClasses, gated) {
            next = Verdict.earlier(next, gate)
        }
        if isHeldByBudget {
            let renewed = assessment.context.budgets.nextRollOver(
                after: now.wall, localTime: assessment.conditions.localTime)
            next = Verdict.earlier(next, renewed.map(now.instant(of:)))
        }
        if !familyMoments.isKnown { findFamilyMoments() }
        if familyMoments.boot != .max {
            next = Verdict.earlier(next, Instant(nanoseconds: familyMoments.boot))
        }
        if familyMoments.wall != .max {
            next = Verdict.earlier(next, now.instant(of: WallTime(nanosecondsSinceEpoch: familyMoments.wall)))
        }
        for opening in familyMoments.pending { next = Verdict.earlier(next, opening.instant(at: now)) }
        return next
    }

    /// The next timers of families of which a class may run, now or when time has come.
    private mutating func findFamilyMoments() {
        familyMoments.reset(families: requirements.families.count)
        guard timers.count > 0 else { return familyMoments.takeAllForRelevant() }
        availability.classes.forEach { number in
            let family = Int(requirements.classes[Int(number)].family)
            guard !familyMoments.isRelevant[family] else { return }
            familyMoments.isRelevant[family] = true
            if let boot = timers.next(family: family, .boot) { familyMoments.boot = min(familyMoments.boot, boot) }
            if let wall = timers.next(family: family, .wall) { familyMoments.wall = min(familyMoments.wall, wall) }
        }
        guard !availability.pending.isEmpty else { return }
        let open = familyMoments.isRelevant
        availability.pending.forEach { number in
            let family = Int(requirements.classes[Int(number)].family)
            guard !open[family], let opening = availability.opening(of: number) else { return }
            familyMoments.isRelevant[family] = true
            if let boot = timers.next(family: family, .boot) {
                familyMoments.pending.append(Opening(boot: max(opening.boot, boot), wall: opening.wall))
            }
            if let wall = timers.next(family: family, .wall) {
                familyMoments.pending.append(Opening(boot: opening.boot, wall: max(opening.wall, wall)))
            }
        }
    }
}

/// The next timers that are worth waking for; `Int64.max` for none.
struct FamilyMoments: Sendable {
    var isKnown = false
    var boot = Int64.max
    var wall = Int64.max
    /// Those of families that time has to open first.
    var pending: [Opening] = []
    /// The families that time may let run, by number.
    var isRelevant: [Bool] = []

    mutating func reset(families: Int) {
        for family in isRelevant.indices { isRelevant[family] = false }
        while isRelevant.count < families { isRelevant.append(false) }
        isKnown = true
        boot = .max
        wall = .max
        pending.removeAll(keepingCapacity: true)
    }

    /// Nobody has looked which families are: each counts.
    mutating func takeAllForRelevant() {
        for family in isRelevant.indices { isRelevant[family] = true }
    }

    /// A family has a timer at `boot` or `wall`, which may come before what is known.
    mutating func note(_ family: Int32, boot: Int64 = .max, wall: Int64 = .max) {
        guard boot < self.boot || wall < self.wall else { return }
        if Int(family) >= isRelevant.count || isRelevant[Int(family)] { isKnown = false }
    }
}
