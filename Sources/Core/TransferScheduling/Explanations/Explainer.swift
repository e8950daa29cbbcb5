// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// A computation of the reasons why one transfer waits and of the changes that would each start it.
struct Explainer {
    /// The machine, the policy, and the time of the request.
    let evaluator: PolicyEvaluator
    /// The scope whose slots are all in use; `nil` if there is none.
    let fullSlots: SlotScope?
    let staggeredStart: StaggeredStart

    /// Returns the reasons why a queued transfer waits, and the time at which these reasons may change.
    func reasons(of entry: TransferEntry) -> ([WaitReason], reevaluateAt: Instant?) {
        switch evaluator.verdict(for: entry) {
        case .wait(let reasons, let reevaluation): return (reasons, reevaluation)
        case .run(_, let reevaluation): return slotWaits(entry, reevaluation)
        }
    }

    /// Returns the wait reasons of a transfer that may run: full slots, or the staggered start after an outage.
    private func slotWaits(_ entry: TransferEntry, _ reevaluation: Instant?) -> ([WaitReason], reevaluateAt: Instant?) {
        let now = evaluator.now
        if let fullSlots {
            // Time may revoke the permission while other transfers run, which changes the reason.
            return ([WaitReason(.waitingForSlot(fullSlots), since: now)], reevaluation)
        }
        guard entry.isStaggered, let earliestStart = staggeredStart.earliestStart, now.instant < earliestStart else {
            return ([], reevaluation)
        }
        return (
            [WaitReason(.debouncing(.network, until: earliestStart), since: now)],
            Verdict.earlier(earliestStart, reevaluation)
        )
    }

    /// Returns the explanation of a waiting transfer.
    ///
    /// - Parameter reported: The reasons that were last reported. Their start times are kept.
    func explanation(
        of entry: TransferEntry, _ reported: [WaitReason], isLate: Bool, _ journal: borrowing ConditionJournal
    ) -> Explanation {
        let now = evaluator.now
        let waited = waited(entry, journal)
        guard case .wait(let reasons, let reevaluateAt) = evaluator.verdict(for: entry) else {
            let (reasons, reevaluation) = reasons(of: entry)
            let waitsForSlot = fullSlots != nil
            let isStaggered = !waitsForSlot && !reasons.isEmpty
            let remedies: [Remedy] =
                waitsForSlot ? [.slot] : isStaggered ? reevaluation.map { [.wait(until: now.wall(at: $0))] } ?? [] : []
            return Explanation(
                reasons: reasons.map { $0.keepingSince(from: reported) }, remedies: remedies,
                nextReevaluation: isStaggered ? reevaluation.map(now.wall(at:)) : nil, isLate: isLate, waited: waited)
        }
        var remedies = reasons.flatMap { changes(releasing: $0, of: entry) }
        if let release = release(of: entry) { remedies.append(.wait(until: release)) }
        return Explanation(
            reasons: reasons.map { $0.keepingSince(from: reported) }, remedies: remedies.uniqued(),
            nextReevaluation: reevaluateAt.map(now.wall(at:)), isLate: isLate,
            expectedChance: reasons.contains(where: \.dependsOnConditions)
                ? evaluator.context.history.week.nextChance(
                    after: now.wall, localTime: evaluator.conditions.localTime) : nil, waited: waited)
    }

    /// Returns the time at which the transfer starts without any other change; `nil` if time alone does not suffice.
    private func release(of entry: TransferEntry) -> WallTime? {
        let now = evaluator.now
        var later = evaluator
        // One iteration for each reason that time removes. There are few, because each kind of reason occurs once.
        for _ in 0..<16 {
            guard case .wait(_, let reevaluation?) = later.verdict(for: entry), later.now.instant < reevaluation else {
                return nil
            }
            later.context.now = now.advanced(by: now.instant.duration(to: reevaluation))
            if case .run = later.verdict(for: entry) { return later.now.wall }
        }
        return nil
    }

    /// Returns the changes that remove the wait reason and each suffice to let the transfer run. Time is handled
    /// separately.
    private func changes(releasing hold: WaitReason, of entry: TransferEntry) -> [Remedy] {
        let isDiscretionary = entry.traits.kind == .discretionary
        let powerDebounce = isDiscretionary ? evaluator.configuration.powerDebounce : .zero
        let networkDebounce = isDiscretionary ? evaluator.configuration.networkDebounce : .zero
        let candidates: [(Remedy, (inout (entry: TransferEntry, conditions: Conditions)) -> Void)]
        switch hold.reason {
        case .onBattery, .powerUnknown:
            candidates = [(.plugIn(after: powerDebounce), { $0.conditions.power.value = .ac })]
        case .batteryLow(_, let needed):
            candidates = [
                (.plugIn(after: powerDebounce), { $0.conditions.power.value = .ac }),
                (.chargeAbove(needed), { $0.conditions.battery.value.level = min(100, needed + 1) }),
            ]
        case .metered, .budgetSpent:
            candidates = [(.joinUnmetered(after: networkDebounce), { $0.conditions.metered.value = .no })]
        case .noNetwork:
            candidates = [
                (Self.anyNetwork(for: entry, after: networkDebounce), { $0.conditions.join(allowedBy: entry) })
            ]
        case .captivePortal:
            candidates = [(.logIn, { $0.conditions.network.value = .full })]
        case .networkKind(_, let allowed):
            candidates = [(.joinKind(allowed, after: networkDebounce), { $0.conditions.join(allowedBy: entry) })]
        case .storageLow(let needed, let available):
            let missing = needed.map { max(0, $0.addingSaturating(max(0, available).negatedSaturating)) }
            candidates = [(.freeSpace(missing), { $0.entry.phase = .waiting(nil) })]
        case .suspended:
            candidates = [(.resume, { $0.entry.phase = .waiting(nil) })]
        case .connectionDenied:
            candidates = [
                (.joinAllowed(after: networkDebounce), { $0.conditions.joinConnection(allowedBy: entry) })
            ]
        case .needsApp, .rateLimited:
            // An opened app can complete its action, and the work it submitted in the background becomes free.
            candidates = [(.openApp, { ($0.entry.need, $0.entry.relaunchDelay) = (nil, nil) })]
        case .held(let holder, _):
            let isMachineHold = hold.source != nil
            candidates = [
                (
                    .release(by: holder),
                    { if isMachineHold { $0.conditions.hold.value = nil } else { $0.entry.held = nil } }
                )
            ]
        case .waitingForSlot:
            return [.slot]
        case .notBefore, .outsideWindow, .debouncing, .backoff, .windowTooShort, .aboutToSleep, .aboutToShutDown:
            return []
        }
        return candidates.compactMap { remedy, change in
            var changed = (entry: entry, conditions: evaluator.context.conditions)
            change(&changed)
            // All facts count as stable: the debounce only takes time, and the remedy states that time.
            changed.conditions.markStable()
            var then = evaluator
            then.context.conditions = changed.conditions
            guard case .run = then.verdict(for: changed.entry) else { return nil }
            return remedy
        }
    }

    /// Returns the network to join if there is no network at all.
    private static func anyNetwork(for entry: TransferEntry, after debounce: Duration) -> Remedy {
        guard case .only(let kinds) = entry.traits.constraints.linkKinds else { return .joinNetwork(after: debounce) }
        return .joinKind(kinds, after: debounce)
    }
}

extension Conditions {
    /// Marks every fact as stable, like the initial facts at startup.
    package mutating func markStable() {
        power.isObservedChange = false
        network.isObservedChange = false
        linkKind.isObservedChange = false
        metered.isObservedChange = false
        connection.isObservedChange = false
        roaming.isObservedChange = false
    }

    /// Sets a connection that the transfer may use, without roaming. All other facts stay unchanged.
    fileprivate mutating func joinConnection(allowedBy entry: TransferEntry) {
        let constraint = entry.traits.constraints.connection
        connection.value = constraint.allowed?.first { !constraint.denied.contains($0) }
        roaming.value = .no
    }

    /// Sets a typical network of a kind that the transfer may use. Its metered state is unknown in advance.
    fileprivate mutating func join(allowedBy entry: TransferEntry) {
        network.value = .full
        metered.value = .unknown
        switch entry.traits.constraints.linkKinds {
        case .any: linkKind.value = .ethernet
        case .only(let allowed): linkKind.value = allowed.kinds.first ?? .unknown
        }
        joinConnection(allowedBy: entry)
    }
}

extension WaitReason {
    /// A Boolean value that indicates whether better power or a free network would help.
    fileprivate var dependsOnConditions: Bool {
        switch reason {
        case .onBattery, .batteryLow, .powerUnknown, .metered, .noNetwork: true
        case .captivePortal, .networkKind, .connectionDenied, .notBefore, .outsideWindow, .debouncing, .waitingForSlot,
            .backoff, .storageLow, .suspended, .rateLimited, .budgetSpent, .held, .needsApp, .windowTooShort,
            .aboutToSleep, .aboutToShutDown:
            false
        }
    }
}

extension Array where Element: Hashable {
    /// Returns the elements without repetitions, in order.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
