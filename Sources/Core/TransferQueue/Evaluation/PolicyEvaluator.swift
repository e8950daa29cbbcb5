// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// Evaluates all constraints and the policy for a transfer, with debounce and hysteresis of facts.
package struct PolicyEvaluator {
    package let configuration: any QueueConfiguration
    private(set) var policy: any Policy
    /// The policy, if it has tables.
    private(set) var tablePolicy: (any TablePolicy)?
    /// A Boolean value that indicates whether the policy decides about every transfer by a table, and need not evaluate
    /// each.
    package private(set) var hasTable: Bool
    /// A Boolean value that indicates whether the policy names end times when it lets work run. Always true for a
    /// policy without a table.
    private let endsRunsByTime: Bool
    package var context: PolicyContext
    /// The rate that transfers usually reach, in bytes per second; `nil` before the first transfer has run.
    package var typicalRate: Int64?
    /// The rate and the backlog that estimates use, the same for all transfers until the plan is replaced.
    package var plan: DeadlinePlan
    /// The waits that servers requested.
    package var serverWaits = ServerWaits()
    /// The debounce and hysteresis of changed facts.
    let hysteresis: Hysteresis
    // Copies of settings, because an access to the configuration costs a dynamic call.
    private let unknownMetered: UnknownMeteredRule
    private let startsLateTransfersLast: Bool

    package init(
        configuration: any QueueConfiguration, policy: any Policy, context: PolicyContext, typicalRate: Int64? = nil
    ) {
        self.configuration = configuration
        unknownMetered = configuration.unknownMetered
        startsLateTransfersLast = configuration.startsLateTransfersLast
        self.policy = policy
        let table = policy as? any TablePolicy
        tablePolicy = table
        hasTable = table.map { !$0.decidesIndividually } ?? false
        endsRunsByTime = table?.mayEndRunsByTime(after: context.history) ?? true
        self.context = context
        self.typicalRate = typicalRate
        hysteresis = configuration.hysteresis
        plan = DeadlinePlan(isKept: configuration.keepsDeadlines)
    }

    /// Replaces the policy.
    package mutating func decide(by policy: any Policy) {
        let (plan, serverWaits) = (plan, serverWaits)
        self = PolicyEvaluator(
            configuration: configuration, policy: policy, context: context, typicalRate: typicalRate)
        (self.plan, self.serverWaits) = (plan, serverWaits)
    }

    /// The number that the rows of waiting transfers follow from, besides the wall clock.
    var tableKey: Int64 { tablePolicy?.tableKey(after: context.history) ?? 0 }
    package var conditions: Conditions { context.conditions }
    package var now: ClockReading { context.now }

    /// Returns permission to run according to conditions, dates, and the transfer's own state; otherwise, the wait
    /// reasons. Slots are not considered.
    package func verdict(for entry: TransferEntry) -> Verdict {
        switch entry.phase {
        case .paused(let since):
            return Verdict.wait([WaitReason(.suspended, since: since)], reevaluateAt: nil).and(baseVerdict(of: entry))
        case .running(let attempt):
            return applyingHysteresis(baseVerdict(of: entry), missingSince: attempt.missingSince)
        case .stopping:
            return baseVerdict(of: entry)
        case .waiting(let obstacle):
            var verdict = obstacleVerdict(obstacle).and(relaunchVerdict(entry.relaunchDelay))
            if let wait = serverWaits.verdict(for: entry, at: now) { verdict = verdict.and(wait) }
            let fitting = checkingWindow(verdict.and(baseVerdict(of: entry)), entry)
            guard entry.traits.kind == .discretionary else { return fitting }
            return debounced(fitting)
        }
    }

    /// Returns the verdict on a running transfer, and the time since which each required fact is missing. The
    /// dictionary is empty if nothing is missing.
    package func runningVerdict(
        for entry: TransferEntry, missingSince before: [HysteresisFact: Instant]
    ) -> (Verdict, missingSince: [HysteresisFact: Instant]) {
        let baseVerdict = baseVerdict(of: entry)
        guard case .wait(let reasons, _) = baseVerdict else { return (baseVerdict, [:]) }
        let missing = hysteresis.missing(for: reasons, before: before)
        return (applyingHysteresis(baseVerdict, missingSince: missing), missing)
    }

    /// Returns the verdict that follows from the conditions and from all constraints except dates, windows, and prices.
    package func conditionsVerdict(_ constraints: Constraints, isLoopback: Bool) -> Verdict {
        var verdict = SleepState.verdict(under: conditions).and(constraints.power.verdict(under: conditions))
        if conditions.hold.value != nil { verdict = MachineHold.verdict(under: conditions).and(verdict) }
        if !constraints.custom.isEmpty { verdict = verdict.and(constraints.custom.verdict(under: conditions)) }
        guard !isLoopback else { return verdict }
        return verdict.and(constraints.linkKinds.verdict(under: conditions))
            .and(constraints.connection.verdict(under: conditions))
            .and(constraints.metered.verdict(under: conditions, treatingUnknownAs: unknownMetered))
    }

    /// Returns the verdict of all constraints and, for discretionary work, of the policy.
    ///
    /// - Parameter conditionsAllow: A Boolean value that indicates whether the caller already knows that
    ///   ``conditionsVerdict(_:isLoopback:)`` permits the transfer to run.
    package func baseVerdict(of entry: TransferEntry, conditionsAllow: Bool = false) -> Verdict {
        // The traits are not copied out: traits are large, and every change evaluates all running transfers.
        var verdict =
            conditionsAllow
            ? .run(relyingOn: [], reevaluateAt: nil)
            : conditionsVerdict(entry.traits.constraints, isLoopback: entry.traits.isLoopback)
        if !entry.isOrdinary, let held = entry.held {
            verdict = verdict.and(
                .wait([WaitReason(.held(by: held.by, why: held.why), since: held.since)], reevaluateAt: nil))
        }
        if !entry.isOrdinary, let need = entry.need {
            verdict = verdict.and(.wait([WaitReason(.needsApp(need.need), since: need.since)], reevaluateAt: nil))
        }
        if isBudgeted, let spent = budgetVerdict(entry.traits) { verdict = verdict.and(spent) }
        if let notBefore = entry.traits.constraints.notBefore {
            verdict = verdict.and(notBefore.verdict(at: now, submitted: entry.traits.submitted))
        }
        if let window = entry.traits.constraints.window {
            verdict = verdict.and(window.verdict(at: now, localTime: conditions.localTime))
        }
        if let price = entry.traits.constraints.price {
            verdict = verdict.and(price.verdict(at: now, under: conditions))
        }
        if entry.traits.kind == .discretionary {
            verdict = verdict.and(policy.verdict(for: plan.subject(of: entry), in: context))
        }
        return verdict
    }

    /// Returns the policy's prediction of the date from which a transfer does not need AC power.
    package func outlook(for entry: TransferEntry) -> PowerOutlook? {
        guard entry.traits.kind == .discretionary else { return nil }
        return policy.outlook(for: plan.subject(of: entry), in: context)
    }

    /// Returns the verdict of the budgets for metered data; `nil` if they block nothing. Discretionary work waits if
    /// the budget is nearly used up. Other background work waits if nothing is left, and user-initiated work continues.
    private func budgetVerdict(_ traits: TransferTraits) -> Verdict? {
        guard isSpent(app: traits.app, for: traits.kind, isLoopback: traits.isLoopback) else { return nil }
        let renewed = context.budgets.nextRollOver(after: now.wall, localTime: conditions.localTime)
        return .wait(
            [WaitReason(.budgetSpent(renewed: renewed), since: now)],
            reevaluateAt: context.reevaluation(at: renewed))
    }

    /// Returns whether a transfer with a deadline goes behind others because the deadline has passed.
    func isLate(_ deadline: WallTime?) -> Bool {
        guard startsLateTransfersLast, let deadline else { return false }
        return deadline <= context.now.wall
    }

    /// Returns whether time alone may end an attempt of that kind, apart from its window.
    package func mayEndByTime(_ kind: WorkKind) -> Bool { endsRunsByTime && kind == .discretionary }

    /// A Boolean value that indicates whether bytes that arrive now count against budgets.
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
        case .normal: .exhausted
        case .discretionary: .near
        }
    }

    private func relaunchVerdict(_ delay: TransferEntry.AssignedDelay?) -> Verdict {
        guard let delay, now.instant < delay.release else { return .run(relyingOn: [], reevaluateAt: nil) }
        let reason = Reason.rateLimited(
            delay: delay.delay, relaunches: delay.relaunches, until: now.wall(at: delay.release))
        return .wait([WaitReason(reason, since: delay.since)], reevaluateAt: delay.release)
    }

    /// Delays work that is too long for the rest of its window, provided that a later window is sufficient.
    private func checkingWindow(_ verdict: Verdict, _ entry: TransferEntry) -> Verdict {
        guard case .run(let facts, let reevaluation) = verdict, let need = windowNeed(of: entry) else { return verdict }
        guard let windowShortfall = windowShortfall(of: entry) else {
            // While it waits for a slot, the transfer may reach the time from which on it no longer fits.
            let spare = need.left - need.needed + .nanoseconds(1)
            guard spare > .zero else { return verdict }
            return .run(relyingOn: facts, reevaluateAt: Verdict.earlier(reevaluation, now.instant.advanced(by: spare)))
        }
        let reason = Reason.windowTooShort(needed: windowShortfall.needed, left: windowShortfall.left)
        return .wait([WaitReason(reason, since: now)], reevaluateAt: now.instant.advanced(by: windowShortfall.left))
    }

    /// Returns the time that a transfer needs and the rest of its open window. Returns `nil` if the transfer fits, or
    /// begins anyway.
    func windowShortfall(of entry: TransferEntry) -> (needed: Duration, left: Duration)? {
        guard let window = entry.traits.constraints.window, let (needed, left) = windowNeed(of: entry) else {
            return nil
        }
        let longest = window.windows.map { $0.end - $0.start }.max() ?? 0
        guard needed > left, needed <= .seconds(longest) else { return nil }
        if let deadline = entry.traits.constraints.deadline?.date {
            let then = now.advanced(by: left)
            guard case .wait(_, let opens?) = window.verdict(at: then, localTime: conditions.localTime),
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
            .wait(
                [WaitReason(.backoff(attempt: attempt, cause: cause, until: until), since: failed)], reevaluateAt: until
            )
        case .storage(let needed, let available, let since, let nextReevaluation):
            .wait(
                [WaitReason(.storageLow(needed: needed, available: available), since: since)],
                reevaluateAt: nextReevaluation)
        case .backoff, nil:
            .run(relyingOn: [], reevaluateAt: nil)
        }
    }

    /// Tolerates missing facts for the hysteresis time.
    private func applyingHysteresis(_ verdict: Verdict, missingSince: [HysteresisFact: Instant]) -> Verdict {
        guard case .wait(let reasons, let reevaluateAt) = verdict,
            let end = hysteresis.stop(for: reasons, missingSince: missingSince), now.instant < end
        else { return verdict }
        return .run(relyingOn: [], reevaluateAt: Verdict.earlier(reevaluateAt, end))
    }

    /// Applies the debounce: a condition that changed must last for a while before a start relies on it.
    private func debounced(_ verdict: Verdict) -> Verdict {
        guard case .run(let facts, let reevaluateAt) = verdict else { return verdict }
        let (reasons, end) = hysteresis.reasons(relyingOn: facts, under: conditions, at: now.instant)
        // The reasons change when the first debounce ends, and the change is reported.
        return reasons.isEmpty ? verdict : .wait(reasons, reevaluateAt: Verdict.earlier(end, reevaluateAt))
    }
}
