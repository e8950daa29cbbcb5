// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

// Where a transfer belongs: into its ready heap, or behind a timer.

extension IndexedQueue {
    /// Puts a transfer where it belongs now.
    mutating func file(
        _ place: Int32, _ entry: borrowing TransferEntry, group: Int32, _ assessment: Assessment
    ) {
        // If the clock is set back, a date that has come may lie ahead again.
        lastWall = max(lastWall, assessment.now.wall)
        let set = requirements.set(of: entry.traits)
        let phase =
            requirements.knownPhase(of: set, assessment)
            ?? requirements.held(assessment.stagedPolicy.stage(of: entry.subject, at: assessment.now.wall), to: set)
        let level = ready.levelNumber(of: entry.traits)
        file(place, set, phase, level, group: group, entry.obstruction(at: assessment.now), at: assessment.now)
    }

    /// The relaxation phase of a new transfer.
    mutating func phase(
        of traits: borrowing TransferTraits, _ set: Int32, _ assessment: Assessment
    ) -> PolicyStage {
        if let known = requirements.knownPhase(of: set, assessment) { return known }
        return requirements.held(assessment.stagedPolicy.stage(ofNew: traits, at: assessment.now.wall), to: set)
    }

    mutating func file(
        _ place: Int32, _ set: Int32, _ phase: PolicyStage, _ level: Int32, group: Int32, _ obstruction: Obstruction,
        at now: Moment
    ) {
        let number = requirements.classNumber(set, phase: phase.number)
        let key = ReadyHeap.Key(requirementClass: number, level: level, group: group)
        records[place].pointee.heap = ready.heapNumber(key, groups)
        guard phase.number != RequirementClass.individual else {
            // The policy is asked about it with the next refresh.
            records[place].pointee.isIndividual = true
            individuals.count += 1
            return
        }
        switch obstruction {
        case .none:
            ready.insert(place, records)
            // A phase that is over already would be asked for without end.
            guard let until = phase.until, until > now.wall else { return }
            timers.set(place, ofSet: set, .wall, due: until.nanosecondsSinceEpoch, records)
        case .until(let instant): timers.set(place, ofSet: set, .boot, due: instant.nanoseconds, records)
        case .untilDate(let date): timers.set(place, ofSet: set, .wall, due: date.nanosecondsSinceEpoch, records)
        case .indefinite: break  // Only an event can end it.
        }
    }

    /// Takes a transfer from where it was filed.
    mutating func withdraw(_ place: Int32) {
        ready.remove(place, records)
        timers.cancel(place, ofSet: set(of: place), records)
        if records[place].pointee.isIndividual { individuals.count -= 1 }
        if records[place].pointee.isBlockedBySize { blocked.remove(TransferID(records[place].pointee.id)) }
        (records[place].pointee.isIndividual, records[place].pointee.isBlockedBySize) = (false, false)
    }

    /// Takes a transfer from where it was filed and puts it where it belongs now.
    mutating func refile(_ place: Int32, _ assessment: Assessment) {
        let (entry, group) = (entry(at: place), group(of: place))
        withdraw(place)
        file(place, entry, group: group, assessment)
    }
}

/// The transfers that the rest of their window is too short for, and what that was found out with.
struct BlockedBySize: Sendable {
    private(set) var ids: [TransferID] = []
    private var rate: Int64?
    private var zone: LocalTimeRules?

    mutating func append(_ id: TransferID, _ assessment: Assessment) {
        ids.append(id)
        (rate, zone) = (assessment.typicalRate, assessment.conditions.localTime)
    }

    mutating func remove(_ id: TransferID) { ids.removeAll { $0 == id } }

    /// Empties the list and returns it, if the rate or the zone is another one now, or `always`: to remove one after the
    /// other would cost the square of their number.
    mutating func takeAll(_ assessment: Assessment, always: Bool) -> [TransferID] {
        guard !ids.isEmpty, always || rate != assessment.typicalRate || zone != assessment.conditions.localTime else {
            return []
        }
        defer { ids = [] }
        return ids
    }
}

/// A reason of a transfer's own that keeps it from its turn.
enum Obstruction {
    case none
    case until(Instant)
    case untilDate(WallTime)
    case indefinite

    static func of(_ traits: borrowing TransferTraits, at now: Moment) -> Obstruction {
        guard let date = traits.constraints.notBefore?.date, date > now.wall else { return .none }
        return .untilDate(date)
    }
}

extension TransferEntry {
    func obstruction(at now: Moment) -> Obstruction {
        var until: Instant?
        if !isOrdinary {
            guard held == nil, need == nil else { return .indefinite }
            until = relaunchDelay?.release
        }
        switch phase {
        case .paused, .running, .stopping, .waiting(.storage): return .indefinite
        case .waiting(.backoff(_, _, _, let end)): until = max(until ?? end, end)
        case .waiting(nil): break
        }
        if let until, until > now.instant { return .until(until) }
        return .of(traits, at: now)
    }
}
