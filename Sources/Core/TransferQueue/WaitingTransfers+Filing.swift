// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

// Files a transfer where it belongs: in its ready heap, or behind a timer.

extension WaitingTransfers {
    /// Files a transfer where it belongs now.
    mutating func file(
        _ place: Int32, _ entry: borrowing TransferEntry, group: Int32, _ assessment: Assessment
    ) {
        let set = requirements.set(of: entry.traits)
        let phase =
            requirements.knownPhase(of: set, assessment)
            ?? requirements.held(
                assessment.stagedPolicy.stage(of: entry.subject, at: assessment.now.wall), to: set)
        let level = ready.levelNumber(of: entry.traits)
        file(
            place, set, phase, level, group: group, entry.obstruction(at: assessment.now),
            at: assessment.now)
    }

    /// Returns the relaxation phase of a new transfer.
    mutating func phase(
        of traits: borrowing TransferTraits, _ set: Int32, _ assessment: Assessment
    ) -> PolicyStage {
        if let known = requirements.knownPhase(of: set, assessment) { return known }
        return requirements.held(
            assessment.stagedPolicy.stage(ofNew: traits, at: assessment.now.wall), to: set)
    }

    mutating func file(
        _ place: Int32, _ set: Int32, _ phase: PolicyStage, _ level: Int32, group: Int32,
        _ obstruction: Obstruction,
        at now: Moment
    ) {
        lastWall = max(lastWall, now.wall)
        let number = requirements.classNumber(set, phase: phase.number)
        let key = ReadyHeap.Key(requirementClass: number, level: level, group: group)
        records[place].pointee.heap = ready.heapNumber(key, groups)
        guard phase.number != RequirementClass.individual else {
            // The next refresh asks the policy about it.
            records[place].pointee.isIndividual = true
            individualCount += 1
            return
        }
        switch obstruction {
        case .none:
            ready.insert(place, records)
            // A timer for a phase that has already ended would fire without end.
            guard let until = phase.until, until > now.wall else { return }
            timers.set(place, ofSet: set, .wall, due: until.nanosecondsSinceEpoch, records)
        case .until(let instant):
            timers.set(place, ofSet: set, .boot, due: instant.nanoseconds, records)
        case .untilDate(let date):
            timers.set(place, ofSet: set, .wall, due: date.nanosecondsSinceEpoch, records)
        case .indefinite: break  // Only an event can end the reason.
        }
    }

    /// Removes a transfer from its ready heap and its timer.
    mutating func withdraw(_ place: Int32) {
        ready.remove(place, records)
        timers.cancel(place, ofSet: set(of: place), records)
        if records[place].pointee.isIndividual { individualCount -= 1 }
        if records[place].pointee.isBlockedBySize {
            blocked.remove(TransferID(records[place].pointee.id))
        }
        (records[place].pointee.isIndividual, records[place].pointee.isBlockedBySize) = (false, false)
    }

    /// Removes a transfer and files it where it belongs now.
    mutating func refile(_ place: Int32, _ assessment: Assessment) {
        let (entry, group) = (entry(at: place), group(of: place))
        withdraw(place)
        file(place, entry, group: group, assessment)
    }

    /// Files all transfers again, because past dates are in the future again, or another policy has other phases.
    mutating func refileAll(_ assessment: Assessment) {
        refileBlocked(assessment, always: true)
        for place in places() { refile(place, assessment) }
    }

    /// Files the transfers again whose timers are due.
    mutating func refileDue(_ assessment: Assessment) {
        for clock in Clock.allCases where timers.areDue(clock, at: assessment.now) {
            for place in timers.removeDue(clock, at: assessment.now, records) {
                refile(place, assessment)
            }
        }
    }

    /// Files the transfers again that were too long for the rest of their window, if that may have changed.
    mutating func refileBlocked(_ assessment: Assessment, always: Bool = false) {
        for id in blocked.takeAll(assessment, always: always) {
            if let place = place(of: id) { refile(place, assessment) }
        }
    }

    /// Blocks a transfer that is too long for its window until the window has closed.
    mutating func block(_ place: Int32, left: Duration, _ assessment: Assessment) {
        withdraw(place)
        records[place].pointee.isBlockedBySize = true
        blocked.append(TransferID(records[place].pointee.id), assessment)
        let end = assessment.now.wall.advanced(by: left)
        timers.set(place, ofSet: set(of: place), .wall, due: end.nanosecondsSinceEpoch, records)
    }
}
