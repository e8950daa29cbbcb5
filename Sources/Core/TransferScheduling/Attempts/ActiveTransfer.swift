// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// A transfer with an attempt under way.
struct ActiveTransfer: Sendable {
    let id: TransferID
    /// What it asks for changes by ``replace(by:)`` only.
    var entry: TransferEntry
    /// When time alone may stop it.
    private(set) var look: Instant?
    /// The last machines that are known to allow what its constraints ask for, the later one first: conditions often go
    /// back to what they were.
    private var allowing: (ConditionSignature?, ConditionSignature?) = (nil, nil)
    /// Whether a fact that it needs is missing, which it bears for a while.
    private var isMissingFacts = false

    /// A transfer whose attempt is to begin.
    init(id: TransferID, entry: consuming TransferEntry) {
        self.id = id
        self.entry = entry
    }

    /// The whole of a transfer whose attempt has begun, that was kept as it was handed out since then.
    init(id: TransferID, entry: consuming TransferEntry, since: Moment, leastProgress: Int64) {
        self.init(id: id, entry: entry)
        setRunning(since: since, leastProgress: leastProgress)
    }

    /// Begins the attempt.
    mutating func begin(_ assessment: Assessment, leastProgress: Int64, at now: Moment) {
        entry.endObstacle(at: now)
        setRunning(since: now, leastProgress: leastProgress)
        // Running, other moments matter than those that mattered while it waited; and only these two name any.
        guard entry.traits.constraints.window != nil || assessment.mayEndByTime(entry.traits.kind) else { return }
        // That the conditions allow it is why it begins.
        if case .run(_, let lookAgain) = assessment.wish(of: entry, conditionsAllow: true) { look = lookAgain }
    }

    private mutating func setRunning(since: Moment, leastProgress: Int64) {
        let mark = max(entry.mostBytes, entry.bytes).addingSaturating(leastProgress)
        entry.phase = .running(
            .init(
                since: since, bytesAtStart: entry.bytes, progressMark: mark, rateAtStart: entry.rate,
                lastReport: since.instant, lastNewByte: since.instant))
    }

    /// Asks again whether it may go on, where something has changed or its time has come; gives back what it stops for.
    mutating func review(
        _ assessment: Assessment, under machine: ConditionSignature, hasChanged: Bool, at now: Moment
    ) -> [Hold]? {
        guard hasChanged || look.map({ $0 <= now.instant }) == true, entry.phase.isRunning else { return nil }
        if allowing.0 == machine || allowing.1 == machine, !isMissingFacts,
            case .run(_, let lookAgain) = assessment.wish(of: entry, conditionsAllow: true)
        {
            look = lookAgain
            return nil
        }
        return reviewAll(assessment, under: machine, at: now)
    }

    private mutating func reviewAll(
        _ assessment: Assessment, under machine: ConditionSignature, at now: Moment
    ) -> [Hold]? {
        guard case .running(var attempt) = entry.phase else { return nil }
        let (verdict, missing) = assessment.runningVerdict(for: entry, missingSince: attempt.missingSince)
        if missing != attempt.missingSince {
            attempt.missingSince = missing
            entry.phase = .running(attempt)
        }
        isMissingFacts = !missing.isEmpty
        switch verdict {
        case .run(_, let lookAgain):
            look = lookAgain
            let constraints = entry.traits.constraints
            // The signature has no connection in it.
            if !isMissingFacts, constraints.connection.isAny { allowing = (machine, allowing.0) }
            return nil
        case .hold(let holds, _):
            _ = stop(then: .wait, at: now)
            return holds
        }
    }

    /// Tells the attempt to stop; returns whether it was running until now.
    mutating func stop(then after: TransferPhase.AfterStop, at now: Moment) -> Bool {
        var wasRunning = false
        if case .running(let attempt) = entry.phase {
            entry.addRun(from: attempt.since, to: now)
            wasRunning = true
        }
        entry.phase = .stopping(after)
        look = nil
        return wasRunning
    }

    /// Puts a transfer that asks for something else in its place.
    mutating func replace(by entry: consuming TransferEntry) {
        self.entry = entry
        allowing = (nil, nil)
    }
}
