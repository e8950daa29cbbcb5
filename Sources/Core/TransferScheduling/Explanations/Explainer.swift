// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// A computation of the reasons why one transfer waits and of the changes that would each start it.
struct Explainer {
    /// The machine, the policy and the time of the question.
    let assessment: Assessment
    /// The scope whose slots are all taken; `nil` if there is none.
    let fullSlots: SlotScope?
    let drain: Drain

    /// Returns the reasons why a queued transfer waits, and the time at which these reasons may change.
    func holds(of entry: TransferEntry) -> ([Hold], lookAgain: Instant?) {
        switch assessment.verdict(for: entry) {
        case .hold(let holds, let look): return (holds, look)
        case .run(_, let look): return holdsInLine(entry, look)
        }
    }

    /// Returns the wait reasons of a transfer that may run: full slots, or the staggered start after an outage.
    private func holdsInLine(_ entry: TransferEntry, _ look: Instant?) -> ([Hold], lookAgain: Instant?) {
        let now = assessment.now
        if let fullSlots {
            // Time may revoke the permission while other transfers run, which changes the reason.
            return ([Hold(.waitingForSlot(fullSlots), since: now)], look)
        }
        guard entry.isGated, let gate = drain.gate, now.instant < gate else { return ([], look) }
        return ([Hold(.settling(.network, until: gate), since: now)], Verdict.earlier(gate, look))
    }

    /// Returns the explanation of a waiting transfer.
    ///
    /// - Parameter told: the reasons that were last reported, whose start times are kept.
    func explanation(
        of entry: TransferEntry, _ told: [Hold], isLate: Bool, _ journal: borrowing ConditionJournal
    ) -> Explanation {
        let now = assessment.now
        let waited = waited(entry, journal)
        guard case .hold(let holds, let lookAgain) = assessment.verdict(for: entry) else {
            let (holds, look) = holds(of: entry)
            let isInLine = fullSlots != nil
            let isGated = !isInLine && !holds.isEmpty
            let remedies: [Remedy] =
                isInLine ? [.slot] : isGated ? look.map { [.wait(until: now.wall(at: $0))] } ?? [] : []
            return Explanation(
                holds: holds.map { $0.keepingSince(from: told) }, remedies: remedies,
                nextLook: isGated ? look.map(now.wall(at:)) : nil, isLate: isLate, waited: waited)
        }
        var remedies = holds.flatMap { changes(releasing: $0, of: entry) }
        if let release = release(of: entry) { remedies.append(.wait(until: release)) }
        return Explanation(
            holds: holds.map { $0.keepingSince(from: told) }, remedies: remedies.uniqued(),
            nextLook: lookAgain.map(now.wall(at:)), isLate: isLate,
            expectedChance: holds.contains(where: \.isOfConditions)
                ? assessment.context.history.week.nextChance(
                    after: now.wall, localTime: assessment.conditions.localTime) : nil, waited: waited)
    }

    /// Returns the time at which the transfer starts without any other change; `nil` if time alone does not suffice.
    private func release(of entry: TransferEntry) -> WallTime? {
        let now = assessment.now
        var later = assessment
        // One iteration for each reason that time removes. There are few, because each kind of reason occurs once.
        for _ in 0..<16 {
            guard case .hold(_, let look?) = later.verdict(for: entry), later.now.instant < look else { return nil }
            later.context.now = now.advanced(by: now.instant.duration(to: look))
            if case .run = later.verdict(for: entry) { return later.now.wall }
        }
        return nil
    }

    /// Returns the changes that remove `hold` and each suffice to let the transfer run. Time is handled separately.
    private func changes(releasing hold: Hold, of entry: TransferEntry) -> [Remedy] {
        let isDiscretionary = entry.traits.kind == .discretionary
        let powerDwell = isDiscretionary ? assessment.configuration.powerDwell : .zero
        let networkDwell = isDiscretionary ? assessment.configuration.networkDwell : .zero
        let candidates: [(Remedy, (inout (entry: TransferEntry, conditions: Conditions)) -> Void)]
        switch hold.reason {
        case .onBattery, .powerUnknown:
            candidates = [(.plugIn(after: powerDwell), { $0.conditions.power.value = .ac })]
        case .batteryLow(_, let needed):
            candidates = [
                (.plugIn(after: powerDwell), { $0.conditions.power.value = .ac }),
                (.chargeAbove(needed), { $0.conditions.battery.value.level = min(100, needed + 1) }),
            ]
        case .metered, .budgetSpent:
            candidates = [(.joinUnmetered(after: networkDwell), { $0.conditions.metered.value = .no })]
        case .noNetwork:
            candidates = [
                (Self.anyNetwork(for: entry, after: networkDwell), { $0.conditions.join(allowedBy: entry) })
            ]
        case .captivePortal:
            candidates = [(.logIn, { $0.conditions.network.value = .full })]
        case .networkKind(_, let allowed):
            candidates = [(.joinKind(allowed, after: networkDwell), { $0.conditions.join(allowedBy: entry) })]
        case .storageLow(let needed, let available):
            let missing = needed.map { max(0, $0.addingSaturating(max(0, available).negatedSaturating)) }
            candidates = [(.freeSpace(missing), { $0.entry.phase = .waiting(nil) })]
        case .suspended:
            candidates = [(.resume, { $0.entry.phase = .waiting(nil) })]
        case .connectionDenied:
            candidates = [
                (.joinAllowed(after: networkDwell), { $0.conditions.joinConnection(allowedBy: entry) })
            ]
        case .needsApp, .rateLimited:
            // An opened app can complete its action, and the work it submitted in the background becomes free.
            candidates = [(.openApp, { ($0.entry.need, $0.entry.relaunchDelay) = (nil, nil) })]
        case .held(let holder, _):
            let isOfMachine = hold.source != nil
            candidates = [
                (
                    .release(by: holder),
                    { if isOfMachine { $0.conditions.hold.value = nil } else { $0.entry.held = nil } }
                )
            ]
        case .waitingForSlot:
            return [.slot]
        case .notBefore, .outsideWindow, .settling, .backoff, .windowTooShort, .aboutToSleep, .aboutToShutDown:
            return []
        }
        return candidates.compactMap { remedy, change in
            var changed = (entry: entry, conditions: assessment.context.conditions)
            change(&changed)
            // All facts count as settled: the debounce only takes time, and the remedy states that time.
            changed.conditions.settle()
            var then = assessment
            then.context.conditions = changed.conditions
            guard case .run = then.verdict(for: changed.entry) else { return nil }
            return remedy
        }
    }

    /// Returns the network to join if there is no network at all.
    private static func anyNetwork(for entry: TransferEntry, after dwell: Duration) -> Remedy {
        guard case .only(let kinds) = entry.traits.constraints.linkKinds else { return .joinNetwork(after: dwell) }
        return .joinKind(kinds, after: dwell)
    }
}

extension Conditions {
    /// Marks every fact as settled, like the facts that a program finds at startup.
    package mutating func settle() {
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

extension Hold {
    /// A Boolean value that indicates whether better power or a free network would help.
    fileprivate var isOfConditions: Bool {
        switch reason {
        case .onBattery, .batteryLow, .powerUnknown, .metered, .noNetwork: true
        case .captivePortal, .networkKind, .connectionDenied, .notBefore, .outsideWindow, .settling, .waitingForSlot,
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
