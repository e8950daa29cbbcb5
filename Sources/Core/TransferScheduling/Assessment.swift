// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// Asks all constraints and the policy about one transfer, and lets facts settle.
struct Assessment {
    let configuration: SchedulerConfiguration
    let policy: any Policy
    let conditions: Conditions
    let now: Moment

    /// Whether the transfer may run as far as conditions, dates and its own state go; slots are not asked.
    func verdict(for entry: TransferEntry) -> Verdict {
        switch entry.phase {
        case .paused:
            return .hold([Hold(.suspended, since: now)], lookAgain: nil)
        case .running(let attempt):
            return withGrace(wish(of: entry), missingSince: attempt.powerMissingSince)
        case .stopping:
            return wish(of: entry)
        case .waiting(let obstacle):
            let verdict = obstacleVerdict(obstacle).and(wish(of: entry))
            guard entry.traits.kind == .discretionary else { return verdict }
            return settled(verdict)
        }
    }

    /// Since when power that a running transfer needs is missing; nil while nothing is.
    ///
    /// The transfer's own, not the fact's: on its way from mains to battery to unknown the fact begins anew each time.
    func powerMissingSince(for entry: TransferEntry, before: Instant?) -> Instant? {
        guard case .hold(let holds, _) = wish(of: entry) else { return nil }
        let missing = holds.filter(\.isOfPower).map(\.since.instant).min()
        guard let missing else { return nil }
        return min(before ?? missing, missing)
    }

    /// All constraints and, for discretionary work, the policy.
    private func wish(of entry: TransferEntry) -> Verdict {
        let traits = entry.traits
        let constraints = traits.constraints
        var verdict = constraints.power.verdict(under: conditions)
        if !traits.isLoopback {
            verdict = verdict.and(constraints.linkKinds.verdict(under: conditions))
            verdict = verdict.and(
                constraints.metered.verdict(under: conditions, treatingUnknownAs: configuration.unknownMetered))
        }
        if let notBefore = constraints.notBefore {
            verdict = verdict.and(notBefore.verdict(at: now, submitted: traits.submitted))
        }
        if let window = constraints.window {
            verdict = verdict.and(window.verdict(at: now, localTime: conditions.localTime))
        }
        if traits.kind == .discretionary {
            verdict = verdict.and(policy.verdict(for: entry.subject, under: conditions, at: now))
        }
        return verdict
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

    /// Lost power is borne for its grace; anything else that is missing stops at once.
    private func withGrace(_ verdict: Verdict, missingSince: Instant?) -> Verdict {
        guard case .hold(let holds, let lookAgain) = verdict, let missingSince, holds.allSatisfy(\.isOfPower) else {
            return verdict
        }
        let end = missingSince.advanced(by: configuration.powerGrace)
        guard now.instant < end else { return verdict }
        return .run(relyingOn: .power, lookAgain: Verdict.earlier(lookAgain, end))
    }

    /// A condition that was seen to change must hold for its dwell time before a start relies on it.
    private func settled(_ verdict: Verdict) -> Verdict {
        guard case .run(let relyingOn, let lookAgain) = verdict else { return verdict }
        var holds: [Hold] = []
        var earliest: Instant?
        func settle(_ condition: SettlingCondition, since: Moment, source: FactSource, dwell: Duration) {
            let until = since.instant.advanced(by: dwell)
            guard now.instant < until else { return }
            holds.append(Hold(.settling(condition, until: until), since: since, source: source, sureness: .reported))
            earliest = Verdict.earlier(earliest, until)
        }
        if relyingOn.contains(.power), conditions.power.isObservedChange {
            settle(
                .power, since: conditions.power.since, source: conditions.power.source,
                dwell: configuration.powerDwell)
        }
        if relyingOn.contains(.network), let change = latestNetworkChange {
            settle(.network, since: change.since, source: change.source, dwell: configuration.networkDwell)
        }
        guard !holds.isEmpty else { return verdict }
        // When the first of them has settled the reasons change, and that is told.
        return .hold(holds, lookAgain: Verdict.earlier(earliest, lookAgain))
    }

    private var latestNetworkChange: (since: Moment, source: FactSource)? {
        var changes: [(since: Moment, source: FactSource)] = []
        if conditions.network.isObservedChange {
            changes.append((conditions.network.since, conditions.network.source))
        }
        if conditions.linkKind.isObservedChange {
            changes.append((conditions.linkKind.since, conditions.linkKind.source))
        }
        if conditions.metered.isObservedChange {
            changes.append((conditions.metered.since, conditions.metered.source))
        }
        return changes.max { $0.since.instant < $1.since.instant }
    }
}

extension Hold {
    /// Whether it is power that is missing.
    fileprivate var isOfPower: Bool {
        switch reason {
        case .onBattery, .batteryLow, .powerUnknown: true
        case .notBefore, .metered, .noNetwork, .captivePortal, .networkKind, .outsideWindow, .settling,
            .waitingForSlot, .backoff, .storageLow, .suspended:
            false
        }
    }
}
