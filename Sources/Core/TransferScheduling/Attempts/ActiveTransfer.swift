// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// A transfer with an active attempt.
struct ActiveTransfer: Sendable {
    let id: TransferID
    /// The transfer's entry. Its traits change only through ``replace(by:)``.
    var entry: TransferEntry
    /// The time at which the attempt may have to stop without any event; `nil` if there is none.
    private(set) var reevaluation: Instant?
    /// The last two condition signatures that are known to satisfy the transfer's constraints, the most recent first.
    /// Two are kept because conditions often return to an earlier state.
    private var allowing: (ConditionSignature?, ConditionSignature?) = (nil, nil)
    /// A Boolean value that indicates whether aging granted the start. Such a transfer is not preempted.
    let isNonPreemptible: Bool
    /// The indexes of the transfers that started before and after; `Int32.noIndex` if there is none.
    var (previous, next): (Int32, Int32)
    /// A Boolean value that indicates whether a required fact is missing. The attempt tolerates the loss for a
    /// hysteresis time.
    private var isMissingFacts = false

    /// Creates a transfer whose attempt is about to begin, after all others.
    init(id: TransferID, entry: consuming TransferEntry, isNonPreemptible: Bool, previous: Int32) {
        self.id = id
        self.entry = entry
        self.isNonPreemptible = isNonPreemptible
        (self.previous, next) = (previous, .noIndex)
    }

    /// Begins the attempt.
    mutating func begin(_ evaluator: PolicyEvaluator, leastProgress: Int64, at now: ClockReading) {
        entry.endObstacle(at: now)
        let mark = max(entry.mostBytes, entry.bytes).addingSaturating(leastProgress)
        entry.phase = .running(
            .init(
                since: now, bytesAtStart: entry.bytes, progressMark: mark, rateAtStart: entry.rate,
                needAtStart: evaluator.plan.reservation(for: entry)?.need, lastReport: now.instant,
                lastNewByte: now.instant))
        // A running transfer has other re-evaluation times than a waiting one. Only windows, prices, and policies
        // define such times.
        guard entry.traits.constraints.isTimed || evaluator.mayEndByTime(entry.traits.kind) else { return }
        // The attempt begins because the conditions allow it.
        if case .run(_, let reevaluateAt) = evaluator.baseVerdict(of: entry, conditionsAllow: true) {
            reevaluation = reevaluateAt
        }
    }

    /// Re-evaluates the attempt if something has changed or its re-evaluation is due. Returns the reasons for which
    /// the attempt stops; `nil` if the attempt continues.
    mutating func review(
        _ evaluator: PolicyEvaluator, under machine: ConditionSignature, hasChanged: Bool, at now: ClockReading
    ) -> [WaitReason]? {
        guard hasChanged || reevaluation.map({ $0 <= now.instant }) == true, entry.phase.isRunning else { return nil }
        if allowing.0 == machine || allowing.1 == machine, !isMissingFacts,
            case .run(_, let reevaluateAt) = evaluator.baseVerdict(of: entry, conditionsAllow: true)
        {
            reevaluation = reevaluateAt
            return nil
        }
        return reviewAll(evaluator, under: machine, at: now)
    }

    private mutating func reviewAll(
        _ evaluator: PolicyEvaluator, under machine: ConditionSignature, at now: ClockReading
    ) -> [WaitReason]? {
        guard case .running(var attempt) = entry.phase else { return nil }
        let (verdict, missing) = evaluator.runningVerdict(for: entry, missingSince: attempt.missingSince)
        if missing != attempt.missingSince {
            attempt.missingSince = missing
            entry.phase = .running(attempt)
        }
        isMissingFacts = !missing.isEmpty
        switch verdict {
        case .run(_, let reevaluateAt):
            reevaluation = reevaluateAt
            let constraints = entry.traits.constraints
            // The signature does not contain the connection.
            if !isMissingFacts, constraints.connection.isAny { allowing = (machine, allowing.0) }
            return nil
        case .wait(let reasons, _):
            _ = stop(then: .wait, at: now)
            return reasons
        }
    }

    /// Marks the attempt as stopping; returns whether the attempt was running until now.
    mutating func stop(then after: TransferPhase.AfterStop, at now: ClockReading) -> Bool {
        var wasRunning = false
        if case .running(let attempt) = entry.phase {
            entry.addRun(from: attempt.since, to: now)
            wasRunning = true
        }
        entry.phase = .stopping(after)
        reevaluation = nil
        return wasRunning
    }

    /// Replaces the entry with one that has other traits.
    mutating func replace(by entry: consuming TransferEntry) {
        self.entry = entry
        allowing = (nil, nil)
    }
}

/// The rate that one progress report of an attempt shows.
struct RateSample: Sendable {
    private let bytesPerSecond: Double

    /// Creates a sample from the new bytes in a time span; `nil` if no bytes arrived or no time passed.
    init?(of bytes: Int64, in elapsed: Duration) {
        let nanoseconds = elapsed.wholeNanoseconds
        guard nanoseconds > 0, bytes > 0 else { return nil }
        bytesPerSecond = Double(bytes) / (Double(nanoseconds) / 1e9)
    }

    /// Returns a known rate smoothed with this sample, in bytes per second; the sample itself if no rate is known.
    func smoothing(_ rate: Int64?) -> Int64 {
        // Each sample has a weight of one quarter: steady enough to read, fast enough to follow a changing link.
        Int64(min(rate.map { Double($0) * 0.75 + bytesPerSecond * 0.25 } ?? bytesPerSecond, 1e15))
    }
}
