// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// Asks all constraints and the policy about one transfer, and lets facts settle.
struct Assessment {
    let configuration: SchedulerConfiguration
    let policy: any Policy
    let context: PolicyContext

    var conditions: Conditions { context.conditions }
    var now: Moment { context.now }

    /// Whether the transfer may run as far as conditions, dates and its own state go; slots are not asked.
    func verdict(for entry: TransferEntry) -> Verdict {
        switch entry.phase {
        case .paused:
            return .hold([Hold(.suspended, since: now)], lookAgain: nil)
        case .running(let attempt):
            return withGrace(wish(of: entry), missingSince: attempt.missingSince)
        case .stopping:
            return wish(of: entry)
        case .waiting(let obstacle):
            let verdict = obstacleVerdict(obstacle).and(wish(of: entry))
            guard entry.traits.kind == .discretionary else { return verdict }
            return settled(verdict)
        }
    }

    /// Since when each of the facts that a running transfer needs is missing; empty while nothing is.
    ///
    /// The transfer's own, not the fact's: on its way from mains to battery to unknown the fact begins anew each time.
    func missingSince(
        for entry: TransferEntry, before: [GracedFact: Instant]
    ) -> [GracedFact: Instant] {
        guard case .hold(let holds, _) = wish(of: entry) else { return [:] }
        var missing: [GracedFact: Instant] = [:]
        for hold in holds {
            guard let fact = hold.reason.gracedFact else { continue }
            let since = min(before[fact] ?? hold.since.instant, hold.since.instant)
            missing[fact] = min(missing[fact] ?? since, since)
        }
        return missing
    }

    /// All constraints and, for discretionary work, the policy.
    private func wish(of entry: TransferEntry) -> Verdict {
        let traits = entry.traits
        let constraints = traits.constraints
        var verdict = constraints.power.verdict(under: conditions)
        if !traits.isLoopback {
            verdict = verdict.and(constraints.linkKinds.verdict(under: conditions))
            verdict = verdict.and(constraints.connection.verdict(under: conditions))
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
            verdict = verdict.and(policy.verdict(for: entry.subject, in: context))
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

    /// What is missing is borne for the grace of its fact; what has none stops at once.
    private func withGrace(_ verdict: Verdict, missingSince: [GracedFact: Instant]) -> Verdict {
        guard case .hold(let holds, let lookAgain) = verdict else { return verdict }
        var ends: [Instant] = []
        for hold in holds {
            guard let fact = hold.reason.gracedFact, let since = missingSince[fact] else { return verdict }
            ends.append(since.advanced(by: configuration.grace(of: fact)))
        }
        guard let end = ends.min(), now.instant < end else { return verdict }
        return .run(relyingOn: [], lookAgain: Verdict.earlier(lookAgain, end))
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
        // Of the network's facts the one that settles last is the reason.
        let unsettled = networkChanges(relyingOn).map { ($0, $0.since.instant.advanced(by: $0.dwell)) }
        if let (change, _) = unsettled.max(by: { $0.1 < $1.1 }) {
            settle(.network, since: change.since, source: change.source, dwell: change.dwell)
        }
        guard !holds.isEmpty else { return verdict }
        // When the first of them has settled the reasons change, and that is told.
        return .hold(holds, lookAgain: Verdict.earlier(earliest, lookAgain))
    }

    private func networkChanges(
        _ relyingOn: RelevantFacts
    ) -> [(since: Moment, source: FactSource, dwell: Duration)] {
        var changes: [(since: Moment, source: FactSource, dwell: Duration)] = []
        func note<Value>(_ fact: Fact<Value>, _ dwell: Duration) {
            if fact.isObservedChange { changes.append((fact.since, fact.source, dwell)) }
        }
        if relyingOn.contains(.network) {
            note(conditions.network, configuration.networkDwell)
            note(conditions.linkKind, configuration.linkKindDwell)
            note(conditions.metered, configuration.meteredDwell)
        }
        if relyingOn.contains(.connection) {
            note(conditions.connection, configuration.connectionDwell)
            note(conditions.roaming, configuration.connectionDwell)
        }
        return changes
    }
}

/// A fact whose loss a running transfer bears for a while.
enum GracedFact: Hashable, Sendable {
    case power
    case network
    case linkKind
    case metered
    case connection
}

extension SchedulerConfiguration {
    /// How long work goes on after that fact was lost.
    func grace(of fact: GracedFact) -> Duration {
        switch fact {
        case .power: powerGrace
        case .network: networkGrace
        case .linkKind: linkKindGrace
        case .metered: meteredGrace
        case .connection: connectionGrace
        }
    }
}

extension Reason {
    /// The fact that is missing; nil where the reason lies elsewhere, and there is no grace.
    fileprivate var gracedFact: GracedFact? {
        switch self {
        case .onBattery, .batteryLow, .powerUnknown: .power
        case .noNetwork, .captivePortal: .network
        case .networkKind: .linkKind
        case .metered: .metered
        case .connectionDenied: .connection
        case .notBefore, .outsideWindow, .settling, .waitingForSlot, .backoff, .storageLow, .suspended, .rateLimited,
            .budgetSpent, .held, .needsApp, .windowTooShort:
            nil
        }
    }
}
