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
    /// - Parameters:
    ///   - reported: The reasons that were last reported. Their start times are kept.
    ///   - state: The state of the deadline.
    ///   - journal: The past conditions; `nil` leaves out the waiting times.
    func explanation(
        of entry: TransferEntry, _ reported: [WaitReason], isLate: Bool, _ state: DeadlineState?,
        _ journal: ConditionJournal?
    ) -> Explanation {
        let now = evaluator.now
        let waited = journal.map { self.waited(entry, $0) } ?? []
        guard case .wait(let reasons, let reevaluateAt) = evaluator.verdict(for: entry) else {
            let (reasons, reevaluation) = reasons(of: entry)
            let waitsForSlot = fullSlots != nil
            let isStaggered = !waitsForSlot && !reasons.isEmpty
            let remedies: [Remedy] =
                waitsForSlot ? [.slot] : isStaggered ? reevaluation.map { [.wait(until: now.wall(at: $0))] } ?? [] : []
            return Explanation(
                reasons: reasons.map { $0.keepingSince(from: reported) }, remedies: remedies,
                nextReevaluation: isStaggered ? reevaluation.map(now.wall(at:)) : nil, isLate: isLate, waited: waited,
                deadline: outlook(of: entry, state, start: nil))
        }
        var remedies = reasons.flatMap { changes(releasing: $0, of: entry) }
        let release = release(of: entry)
        if let release { remedies.append(.wait(until: release)) }
        var explanation = Explanation(
            reasons: reasons.map { $0.keepingSince(from: reported) }, remedies: remedies.uniqued(),
            nextReevaluation: Verdict.earlier(reevaluateAt, evaluator.endOfHold).map(now.wall(at:)), isLate: isLate,
            expectedChance: reasons.contains(where: \.dependsOnConditions)
                ? evaluator.context.history.week.nextChance(
                    after: now.wall, localTime: evaluator.conditions.localTime) : nil,
            outlook: reasons.contains(where: \.asksForPower) ? evaluator.outlook(for: entry) : nil, waited: waited,
            deadline: outlook(of: entry, state, start: reasons.contains(where: \.dependsOnConditions) ? release : nil),
            joint: remedies.allSatisfy(\.isWait) ? jointRemedy(of: entry, before: release) : nil)
        explanation.power = evaluator.conditions.power.value
        explanation.endOfHold = evaluator.conditions.hold.value?.until
        return explanation
    }

    /// Returns the outlook on a transfer's deadline; `nil` if there is no deadline.
    ///
    /// - Parameter start: The date at which time alone starts the transfer, although conditions do not hold.
    func outlook(of entry: TransferEntry, _ state: DeadlineState?, start: WallTime?) -> DeadlineOutlook? {
        guard let date = entry.traits.constraints.deadline?.date, let estimate = evaluator.plan.estimate(of: entry)
        else {
            return nil
        }
        return DeadlineOutlook(
            date: date, latestStart: start.flatMap { $0 <= date ? $0 : nil },
            state: date <= evaluator.now.wall ? .missed : state, estimate: estimate)
    }

    /// Returns the time at which the transfer starts without any other change; `nil` if time alone does not suffice.
    private func release(of entry: TransferEntry) -> WallTime? {
        let now = evaluator.now
        var later = evaluator
        // One iteration for each reason that time removes. There are few, because each kind of reason occurs once.
        for _ in 0..<16 {
            guard case .wait(_, let constrained) = later.verdict(for: entry),
                let reevaluation = Verdict.earlier(constrained, later.endOfHold), later.now.instant < reevaluation
            else { return nil }
            later.context.now = now.advanced(by: now.instant.duration(to: reevaluation))
            if let end = later.endOfHold, end <= later.now.instant { later.context.conditions.hold.value = nil }
            if case .run = later.verdict(for: entry) { return later.now.wall }
        }
        return nil
    }

    /// Returns the changes that remove the wait reason and each suffice to let the transfer run. Time is handled
    /// separately.
    private func changes(releasing hold: WaitReason, of entry: TransferEntry) -> [Remedy] {
        if case .waitingForSlot = hold.reason { return [.slot] }
        return candidates(releasing: hold, of: entry).compactMap { remedy, change in
            var changed = (entry: entry, conditions: evaluator.context.conditions)
            change(&changed)
            changed.conditions.markChanges(since: evaluator.conditions, at: evaluator.now)
            return delay(of: changed.entry, under: changed.conditions).map(remedy)
        }
    }

    /// A change of the transfer or of the machine.
    typealias Change = (inout (entry: TransferEntry, conditions: Conditions)) -> Void

    /// Returns the changes that remove the wait reason, with the remedies that name them after a delay. Empty if only
    /// time removes the reason.
    func candidates(releasing hold: WaitReason, of entry: TransferEntry) -> [((Duration) -> Remedy, Change)] {
        switch hold.reason {
        case .onBattery, .powerUnknown:
            [({ .plugIn(after: $0) }, { $0.conditions.power.value = .ac })]
        case .batteryLow(_, let needed):
            [
                ({ .plugIn(after: $0) }, { $0.conditions.power.value = .ac }),
                ({ _ in .chargeAbove(needed) }, { $0.conditions.battery.value.level = min(100, needed + 1) }),
            ]
        case .metered, .budgetSpent:
            [({ .joinUnmetered(after: $0) }, { $0.conditions.metered.value = .no })]
        case .noNetwork:
            [({ Self.anyNetwork(for: entry, after: $0) }, { $0.conditions.join(allowedBy: entry) })]
        case .captivePortal:
            [({ _ in .logIn }, { $0.conditions.network.value = .full })]
        case .networkKind(_, let allowed):
            [({ .joinKind(allowed, after: $0) }, { $0.conditions.join(allowedBy: entry) })]
        case .storageLow(let needed, let available):
            [
                (
                    { _ in
                        .freeSpace(needed.map { max(0, $0.addingSaturating(max(0, available).negatedSaturating)) })
                    }, { $0.entry.phase = .waiting(nil) }
                )
            ]
        case .suspended:
            [({ _ in .resume }, { $0.entry.phase = .waiting(nil) })]
        case .connectionDenied:
            [({ .joinAllowed(after: $0) }, { $0.conditions.joinConnection(allowedBy: entry) })]
        case .needsApp, .rateLimited:
            // An opened app can complete its action, and the work it submitted in the background becomes free.
            [({ _ in .openApp }, { ($0.entry.need, $0.entry.relaunchDelay) = (nil, nil) })]
        case .held(let holder, _):
            [({ _ in .release(by: holder) }, Self.release(isMachineHold: hold.source != nil))]
        case .custom(let constraint, _, _):
            [({ _ in .become(constraint) }, { $0.conditions.satisfy(constraint) })]
        case .waitingForSlot, .notBefore, .outsideWindow, .price, .priceUnknown, .debouncing, .backoff, .retryAfter,
            .windowTooShort, .aboutToSleep, .aboutToShutDown:
            []
        }
    }

    private static func release(isMachineHold: Bool) -> Change {
        { if isMachineHold { $0.conditions.hold.value = nil } else { $0.entry.held = nil } }
    }

    /// Returns the time after which a transfer starts if the conditions change to these now. The debounce of each fact
    /// takes its time. Returns `nil` if the transfer still waits for anything else.
    private func delay(of entry: TransferEntry, under conditions: Conditions) -> Duration? {
        let now = evaluator.now
        var then = evaluator
        then.context.conditions = conditions
        // One iteration for each debounce.
        for _ in 0..<4 {
            switch then.verdict(for: entry) {
            case .run: return now.instant.duration(to: then.now.instant)
            case .wait(let reasons, let reevaluation?)
            where reasons.allSatisfy(\.isDebounce) && then.now.instant < reevaluation:
                then.context.now = now.advanced(by: now.instant.duration(to: reevaluation))
            case .wait: return nil
            }
        }
        return nil
    }

    /// Returns the network to join if there is no network at all.
    private static func anyNetwork(for entry: TransferEntry, after debounce: Duration) -> Remedy {
        guard case .only(let kinds) = entry.traits.constraints.linkKinds else { return .joinNetwork(after: debounce) }
        return .joinKind(kinds, after: debounce)
    }
}

extension PolicyEvaluator {
    /// The time at which the hold on everything ends by itself; `nil` if there is no such time. The source of the hold
    /// ends it then, so no verdict depends on the time.
    fileprivate var endOfHold: Instant? { conditions.hold.value?.until.map(now.instant(of:)) }
}

extension Conditions {
    /// Sets a connection that the transfer may use, without roaming. All other facts stay unchanged.
    fileprivate mutating func joinConnection(allowedBy entry: TransferEntry) {
        let constraint = entry.traits.constraints.connection
        connection.value = constraint.allowed?.first { !constraint.denied.contains($0) }
        roaming.value = .no
    }

    /// Sets a permitted value of a custom condition, if the condition is defined.
    fileprivate mutating func satisfy(_ constraint: CustomConstraint) {
        guard let index = custom.firstIndex(where: { $0.name == constraint.name }) else { return }
        custom[index].fact.value = constraint.values.first
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
    /// A Boolean value that indicates whether the reason is a debounce, which only takes time.
    var isDebounce: Bool { if case .debouncing = reason { true } else { false } }
    /// A Boolean value that indicates whether AC power would help.
    fileprivate var asksForPower: Bool {
        if case .onBattery = reason { return true }
        if case .batteryLow = reason { return true }
        return false
    }

    /// A Boolean value that indicates whether better power or a free network would help.
    fileprivate var dependsOnConditions: Bool {
        switch reason {
        case .onBattery, .batteryLow, .powerUnknown, .metered, .noNetwork: true
        default: false  // Only power and the network become better by themselves.
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
