// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// Evaluates all constraints and the policy for a transfer, with debounce and hysteresis of facts.
package struct Assessment {
    package let configuration: any QueueConfiguration
    private(set) var policy: any Policy
    /// The policy, if ``isStaged`` is true; otherwise a placeholder that is never asked. An optional would take a
    /// copy to check.
    private(set) var stagedPolicy: any StagedPolicy
    /// Whether the policy has relaxation phases, and need not be asked about each transfer.
    package private(set) var isStaged: Bool
    /// Whether the policy's state depends on the queue as a whole. Always true for a policy without phases.
    package private(set) var followsQueue: Bool
    /// Whether the policy names end times when it lets work run. Always true for a policy without phases.
    private let namesEnds: Bool
    package var context: PolicyContext
    /// The rate that transfers usually reach, in bytes per second; `nil` before the first transfer has run.
    package var typicalRate: Int64?
    /// The debounce and hysteresis of changed facts.
    let hysteresis: Hysteresis
    private let unknownMetered: UnknownMeteredRule

    package init(
        configuration: any QueueConfiguration, policy: any Policy, context: PolicyContext, typicalRate: Int64? = nil
    ) {
        self.configuration = configuration
        unknownMetered = configuration.unknownMetered
        self.policy = policy
        let staged = policy as? any StagedPolicy
        stagedPolicy = staged ?? DefaultPolicy()
        isStaged = staged != nil
        followsQueue = staged?.moodFollowsQueue ?? true
        namesEnds = staged?.namesEndsOfRuns ?? true
        self.context = context
        self.typicalRate = typicalRate
        hysteresis = configuration.hysteresis
    }

    /// Replaces the policy.
    package mutating func decide(by policy: any Policy) {
        self = Assessment(
            configuration: configuration, policy: policy, context: context, typicalRate: typicalRate)
    }

    package var conditions: Conditions { context.conditions }
    package var now: Moment { context.now }

    /// Returns whether a transfer may run according to conditions, dates and its own state. Slots are not considered.
    package func verdict(for entry: TransferEntry) -> Verdict {
        switch entry.phase {
        case .paused(let since):
            return Verdict.hold([Hold(.suspended, since: since)], lookAgain: nil).and(wish(of: entry))
        case .running(let attempt):
            return withGrace(wish(of: entry), missingSince: attempt.missingSince)
        case .stopping:
            return wish(of: entry)
        case .waiting(let obstacle):
            let verdict = obstacleVerdict(obstacle).and(relaunchVerdict(entry.relaunchDelay)).and(wish(of: entry))
            let fitting = fitted(verdict, entry)
            guard entry.traits.kind == .discretionary else { return fitting }
            return settled(fitting)
        }
    }

    /// Returns the verdict on a running transfer, and the time since which each required fact is missing. The
    /// dictionary is empty if nothing is missing.
    package func runningVerdict(
        for entry: TransferEntry, missingSince before: [GracedFact: Instant]
    ) -> (Verdict, missingSince: [GracedFact: Instant]) {
        let wish = wish(of: entry)
        guard case .hold(let holds, _) = wish else { return (wish, [:]) }
        let missing = hysteresis.missing(for: holds, before: before)
        return (withGrace(wish, missingSince: missing), missing)
    }

    /// Returns the verdict that follows from the conditions and from all constraints except dates and windows.
    package func conditionsVerdict(_ constraints: Constraints, isLoopback: Bool) -> Verdict {
        var verdict = SleepState.verdict(under: conditions).and(constraints.power.verdict(under: conditions))
        if conditions.hold.value != nil { verdict = MachineHold.verdict(under: conditions).and(verdict) }
        guard !isLoopback else { return verdict }
        return verdict.and(constraints.linkKinds.verdict(under: conditions))
            .and(constraints.connection.verdict(under: conditions))
            .and(constraints.metered.verdict(under: conditions, treatingUnknownAs: unknownMetered))
    }

    /// Returns the verdict of all constraints and, for discretionary work, of the policy.
    ///
    /// - Parameter conditionsAllow: Whether the caller already knows that ``conditionsVerdict(_:isLoopback:)`` holds
    ///   nothing back.
    package func wish(of entry: TransferEntry, conditionsAllow: Bool = false) -> Verdict {
        // The traits are not copied out: traits are large, and every change evaluates all running transfers.
        var verdict =
            conditionsAllow
            ? .run(relyingOn: [], lookAgain: nil)
            : conditionsVerdict(entry.traits.constraints, isLoopback: entry.traits.isLoopback)
        if !entry.isOrdinary, let held = entry.held {
            verdict = verdict.and(
                .hold([Hold(.held(by: held.by, why: held.why), since: held.since)], lookAgain: nil))
        }
        if !entry.isOrdinary, let need = entry.need {
            verdict = verdict.and(.hold([Hold(.needsApp(need.need), since: need.since)], lookAgain: nil))
        }
        if isBudgeted, let spent = budgetVerdict(entry.traits) { verdict = verdict.and(spent) }
        if let notBefore = entry.traits.constraints.notBefore {
            verdict = verdict.and(notBefore.verdict(at: now, submitted: entry.traits.submitted))
        }
        if let window = entry.traits.constraints.window {
            verdict = verdict.and(window.verdict(at: now, localTime: conditions.localTime))
        }
        if entry.traits.kind == .discretionary {
            verdict = verdict.and(policy.verdict(for: entry.subject, in: context))
        }
        return verdict
    }

    /// Returns the verdict of the metered byte budgets; `nil` if they hold nothing back. Discretionary work waits if
    /// the budget is nearly used up. Other background work waits if nothing is left, and user-initiated work goes on.
    private func budgetVerdict(_ traits: TransferTraits) -> Verdict? {
        guard isSpent(app: traits.app, for: traits.kind, isLoopback: traits.isLoopback) else { return nil }
        let renewed = context.budgets.nextRollOver(after: now.wall, localTime: conditions.localTime)
        return .hold(
            [Hold(.budgetSpent(.meteredBytes, renewed: renewed), since: now)], lookAgain: context.look(at: renewed))
    }

    /// Returns whether time alone may end an attempt of that kind, apart from its window.
    package func mayEndByTime(_ kind: WorkKind) -> Bool { namesEnds && kind == .discretionary }

    /// Whether bytes that arrive now count against budgets.
    var isBudgeted: Bool {
        !context.budgets.isEmpty && conditions.network.value.isUsable
            && unknownMetered.isMetered(conditions) != nil
    }

    /// Returns whether so much of the budget of an app and the connection is spent that work of a kind waits.
    func isSpent(app: String, for kind: WorkKind, isLoopback: Bool) -> Bool {
        guard !isLoopback, let limit = Self.budgetLimit(of: kind) else { return false }
        let state = context.budgets.state(
            connection: conditions.connection.value, app: app, at: now.wall, localTime: conditions.localTime)
        return state.map { $0 >= limit } ?? false
    }

    /// Returns the budget state from which on work of a kind waits; `nil` if it never waits.
    private static func budgetLimit(of kind: WorkKind) -> ByteBudget.State? {
        switch kind {
        case .userInitiated: nil
        case .normal: .over
        case .discretionary: .near
        }
    }

    private func relaunchVerdict(_ delay: TransferEntry.RelaunchDelay?) -> Verdict {
        guard let delay, now.instant < delay.release else { return .run(relyingOn: [], lookAgain: nil) }
        let reason = Reason.rateLimited(
            delay: delay.delay, relaunches: delay.relaunches, until: now.wall(at: delay.release))
        return .hold([Hold(reason, since: delay.since)], lookAgain: delay.release)
    }

    /// Holds back work that is too long for the rest of its window, as long as another window will do. Otherwise the
    /// work would begin in vain.
    private func fitted(_ verdict: Verdict, _ entry: TransferEntry) -> Verdict {
        guard case .run(let facts, let look) = verdict, let need = windowNeed(of: entry) else { return verdict }
        guard let misfit = misfit(of: entry) else {
            // While it waits for a slot, the transfer may reach the time from which on it no longer fits.
            let spare = need.left - need.needed + .nanoseconds(1)
            guard spare > .zero else { return verdict }
            return .run(relyingOn: facts, lookAgain: Verdict.earlier(look, now.instant.advanced(by: spare)))
        }
        let reason = Reason.windowTooShort(needed: misfit.needed, left: misfit.left)
        return .hold([Hold(reason, since: now)], lookAgain: now.instant.advanced(by: misfit.left))
    }

    /// Returns the time that a transfer needs and the rest of its open window. Returns `nil` if the transfer fits, or
    /// begins anyway.
    func misfit(of entry: TransferEntry) -> (needed: Duration, left: Duration)? {
        guard let window = entry.traits.constraints.window, let (needed, left) = windowNeed(of: entry) else {
            return nil
        }
        let longest = window.windows.map { $0.end - $0.start }.max() ?? 0
        guard needed > left, needed <= .seconds(longest) else { return nil }
        if let deadline = entry.traits.constraints.deadline?.date {
            let then = now.advanced(by: left)
            guard case .hold(_, let opens?) = window.verdict(at: then, localTime: conditions.localTime),
                now.wall(at: opens) < deadline
            else { return nil }
        }
        return (needed, left)
    }

    /// Returns the time from which on a transfer that fits its window no longer fits. Returns `nil` if there is no
    /// window, or the time is unknown.
    package func endOfFit(of entry: TransferEntry) -> Instant? {
        guard let (needed, left) = windowNeed(of: entry), needed <= left else { return nil }
        return now.instant.advanced(by: left - needed + .nanoseconds(1))
    }

    /// Returns the time that a transfer needs and the rest of its open window; `nil` if they are unknown.
    private func windowNeed(of entry: TransferEntry) -> (needed: Duration, left: Duration)? {
        guard entry.traits.kind != .userInitiated, let window = entry.traits.constraints.window,
            let remaining = entry.bytesRemaining, let rate = entry.rate ?? typicalRate, rate > 0,
            case .run(_, let closes?) = window.verdict(at: now, localTime: conditions.localTime)
        else { return nil }
        let needed = Duration.nanoseconds((remaining / rate).multipliedSaturating(by: 1_000_000_000))
        return (needed, now.instant.duration(to: closes))
    }

    private func obstacleVerdict(_ obstacle: TransferPhase.Obstacle?) -> Verdict {
        switch obstacle {
        case .backoff(let attempt, let cause, let failed, let until) where now.instant < until:
            .hold([Hold(.backoff(attempt: attempt, cause: cause, until: until), since: failed)], lookAgain: until)
        case .storage(let needed, let available, let since, let nextLook):
            .hold([Hold(.storageLow(needed: needed, available: available), since: since)], lookAgain: nextLook)
        case .backoff, nil:
            .run(relyingOn: [], lookAgain: nil)
        }
    }

    /// Tolerates missing facts for the hysteresis time.
    private func withGrace(_ verdict: Verdict, missingSince: [GracedFact: Instant]) -> Verdict {
        guard case .hold(let holds, let lookAgain) = verdict,
            let end = hysteresis.stop(for: holds, missingSince: missingSince), now.instant < end
        else { return verdict }
        return .run(relyingOn: [], lookAgain: Verdict.earlier(lookAgain, end))
    }

    /// Applies the debounce: a condition that changed must last for a while before a start relies on it.
    private func settled(_ verdict: Verdict) -> Verdict {
        guard case .run(let facts, let lookAgain) = verdict else { return verdict }
        let (holds, end) = hysteresis.holds(relyingOn: facts, under: conditions, at: now.instant)
        // The reasons change when the first condition has settled, and the change is reported.
        return holds.isEmpty ? verdict : .hold(holds, lookAgain: Verdict.earlier(end, lookAgain))
    }
}
