// SPDX-License-Identifier: Apache-2.0

/// The shipped rule: on AC and unmetered. Unmetered is hard unless the transfer itself allows metered networks; AC
/// gives way as a deadline comes near.
///
/// With a deadline, a battery above 50 % is enough to start (40 % to go on) once half of the time is gone, above 20 %
/// once three quarters are, and in the last chance (the time that the remaining bytes need at the rate seen, times
/// 1.5; none while size or rate is unknown) any level is. Past the deadline any power is enough.
public struct DefaultPolicy: Policy, Hashable {
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Says whether `subject` may run.
    public func verdict(for subject: PolicySubject, under conditions: Conditions, at now: Moment) -> Verdict {
        let power = powerVerdict(for: subject, under: conditions, at: now)
        return power.and(subject.unmeteredVerdict(under: conditions, treatingUnknownAs: unknownMetered))
    }

    private func powerVerdict(for subject: PolicySubject, under conditions: Conditions, at now: Moment) -> Verdict {
        let constraints = subject.traits.constraints
        guard let deadline = constraints.deadline else { return PowerConstraint.ac.verdict(under: conditions) }
        let submitted = subject.traits.submitted
        let notBefore = constraints.notBefore?.date
        func dateAt(_ share: Double) -> WallTime {
            deadline.date(atShare: share, submitted: submitted, notBefore: notBefore)
        }
        // Each step is asked for by its date: elapsed shares as floating point could fall short at the very moment.
        var steps: [(from: WallTime, needed: PowerConstraint)] = [
            (dateAt(0.5), .acOrBattery(above: subject.isRunning ? 40 : 50)),
            (dateAt(0.75), .acOrBattery(above: 20)),
            (deadline.date, .any),
        ]
        if let lastChance = lastChance(for: subject, deadline: deadline.date) { steps.append((lastChance, .any)) }
        let reached = steps.filter { $0.from <= now.wall }.map { $0.needed.verdict(under: conditions) }
        let verdicts = [PowerConstraint.ac.verdict(under: conditions)] + reached
        // The most lenient step that is reached counts; a hold says what the latest step misses.
        // Of two that allow it the later relies on less: past the deadline no power has to settle.
        let best = verdicts.last { if case .run = $0 { true } else { false } } ?? verdicts[verdicts.count - 1]
        // Steps only give way, so what runs needs no look, and a step that says the same is not worth one. What waits
        // for power to settle is another matter: a later step may do without.
        if case .run = best, subject.isRunning || !conditions.power.isObservedChange { return best }
        let next = steps.filter { $0.from > now.wall && $0.needed.verdict(under: conditions) != best }.map(\.from).min()
        return best.and(.run(relyingOn: [], lookAgain: next.map(now.instant(of:))))
    }

    /// From when on only running at once can still be in time: 1.5 × the time that the rest needs at the rate seen.
    ///
    /// While a transfer runs the rest shrinks faster than the time, so by the present numbers alone it would leave its
    /// last chance as soon as it takes it, and stop and start without end. What began in its last chance stays in it.
    private func lastChance(for subject: PolicySubject, deadline: WallTime) -> WallTime? {
        let present = Self.lastChance(
            total: subject.bytesTotal, done: subject.bytesDone, rate: subject.rate, deadline: deadline)
        guard let start = subject.start,
            let atStart = Self.lastChance(
                total: subject.bytesTotal, done: start.bytesDone, rate: start.rate, deadline: deadline),
            atStart <= start.date
        else { return present }
        return atStart
    }

    private static func lastChance(total: Int64?, done: Int64, rate: Int64?, deadline: WallTime) -> WallTime? {
        guard let total, let rate, rate > 0 else { return nil }
        let remaining = max(0, total.addingSaturating(done.negatedSaturating))
        let seconds = Double(remaining) / Double(rate) * 1.5
        guard seconds < 1e9 else { return nil }
        return deadline.advanced(by: .nanoseconds(-Int64(seconds * 1e9)))
    }
}
