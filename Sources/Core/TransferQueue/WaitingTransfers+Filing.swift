// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

// Files a transfer in its ready heap or its timer heap.

extension WaitingTransfers {
    /// Files a transfer according to its present state.
    mutating func file(
        _ recordIndex: Int32, _ entry: borrowing TransferEntry, group: Int32, _ evaluator: PolicyEvaluator
    ) {
        let set = requirements.set(of: entry.traits)
        let phase =
            requirements.knownPhase(of: set, evaluator)
            ?? requirements.phase(of: evaluator.plan.subject(of: entry), inSet: set, at: evaluator.now.wall)
        let level = ready.levelNumber(of: entry.traits)
        file(
            recordIndex, set, phase, level, group: group, entry.obstruction(at: evaluator.now),
            at: evaluator.now)
    }

    /// Returns the relaxation phase of a new transfer.
    mutating func phase(
        of traits: borrowing TransferTraits, _ set: Int32, _ evaluator: PolicyEvaluator
    ) -> RelaxationPhase {
        requirements.knownPhase(of: set, evaluator)
            ?? requirements.phase(of: evaluator.plan.subject(ofNew: traits), inSet: set, at: evaluator.now.wall)
    }

    mutating func file(
        _ recordIndex: Int32, _ set: Int32, _ phase: RelaxationPhase, _ level: Int32, group: Int32,
        _ obstruction: Obstruction,
        at now: ClockReading
    ) {
        lastWall = max(lastWall, now.wall)
        let number = requirements.classNumber(set, phase: phase.number)
        let key = ReadyHeap.Key(requirementClass: number, level: level, group: group)
        records[recordIndex].pointee.heap = ready.heapNumber(key, groups)
        records[recordIndex].pointee.isLate =
            startsLateTransfersLast && records[recordIndex].pointee.terms.deadline <= now.wall.nanosecondsSinceEpoch
        guard phase.number != RequirementClass.individual else {
            // The next refresh evaluates the transfer individually.
            individuals.set(recordIndex)
            return
        }
        switch obstruction {
        case .none:
            ready.insert(recordIndex, records)
            // A timer for a phase that has already ended would fire without end.
            guard let until = phase.until, until > now.wall else { return }
            timers.set(recordIndex, ofSet: set, .wall, due: until.nanosecondsSinceEpoch, records)
        case .until(let instant):
            timers.set(recordIndex, ofSet: set, .boot, due: instant.nanoseconds, records)
        case .untilDate(let date):
            timers.set(recordIndex, ofSet: set, .wall, due: date.nanosecondsSinceEpoch, records)
        case .indefinite: break  // Only an event can end the reason.
        }
    }

    /// Removes a transfer from its ready heap and its timer.
    mutating func withdraw(_ recordIndex: Int32) {
        ready.remove(recordIndex, records)
        timers.cancel(recordIndex, ofSet: set(of: recordIndex), records)
        if individuals.contains(recordIndex) { individuals.set(recordIndex, false) }
        if records[recordIndex].pointee.isBlockedBySize {
            blocked.remove(TransferID(records[recordIndex].pointee.id))
        }
        records[recordIndex].pointee.isBlockedBySize = false
    }

    /// Files a transfer again, according to its present state.
    mutating func refile(_ recordIndex: Int32, _ evaluator: PolicyEvaluator) {
        let group = group(of: recordIndex)
        guard records[recordIndex].pointee.extra == .noIndex else {
            withdraw(recordIndex)
            return file(recordIndex, extras[records[recordIndex].pointee.extra].pointee, group: group, evaluator)
        }
        let entry = entry(at: recordIndex)
        withdraw(recordIndex)
        file(recordIndex, entry, group: group, evaluator)
    }

    /// Updates the policy's table key. Returns whether the phases of waiting transfers may differ from the phases that
    /// they were filed with.
    mutating func updateTableKey(_ evaluator: PolicyEvaluator) -> Bool {
        guard evaluator.tableKey != tableKey else { return false }
        tableKey = evaluator.tableKey
        return true
    }

    /// Files all transfers again, because past dates are in the future again, or another policy has other phases.
    mutating func refileAll(_ evaluator: PolicyEvaluator) {
        refileBlocked(evaluator, always: true)
        for recordIndex in recordIndices() { refile(recordIndex, evaluator) }
    }

    /// Files all transfers with a deadline again, because their estimates have changed.
    mutating func refileDated(_ evaluator: PolicyEvaluator) {
        let indices = dated
        indices.forEach(in: indices) { refile($0, evaluator) }
    }

    /// Files the transfers again whose timers are due.
    mutating func refileDue(_ evaluator: PolicyEvaluator) {
        for clock in Clock.allCases where timers.areDue(clock, at: evaluator.now) {
            for recordIndex in timers.removeDue(clock, at: evaluator.now, records) {
                refile(recordIndex, evaluator)
            }
        }
    }

    /// Files the transfers again that were too long for the rest of their window, if that may have changed.
    mutating func refileBlocked(_ evaluator: PolicyEvaluator, always: Bool = false) {
        for id in blocked.removeAll(evaluator, always: always) {
            if let recordIndex = recordIndex(of: id) { refile(recordIndex, evaluator) }
        }
    }

    /// Blocks a transfer that is too long for its window until the window has closed.
    mutating func block(_ recordIndex: Int32, left: Duration, _ evaluator: PolicyEvaluator) {
        withdraw(recordIndex)
        records[recordIndex].pointee.isBlockedBySize = true
        blocked.append(TransferID(records[recordIndex].pointee.id), evaluator)
        let end = evaluator.now.wall.advanced(by: left)
        timers.set(recordIndex, ofSet: set(of: recordIndex), .wall, due: end.nanosecondsSinceEpoch, records)
    }
}
