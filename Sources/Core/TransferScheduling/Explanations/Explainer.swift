// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// Works out why one transfer waits, and what alone would release it.
struct Explainer {
    /// The machine, the policy and the moment that is asked about.
    let assessment: Assessment
    /// The scope whose slots are all taken; nil if there is none.
    let fullSlots: SlotScope?
    let drain: Drain

    /// The reasons for which a transfer in the queue waits, and when these may change.
    func holds(of entry: TransferEntry) -> ([Hold], lookAgain: Instant?) {
        switch assessment.verdict(for: entry) {
        case .hold(let holds, let look): return (holds, look)
        case .run(_, let look): return holdsInLine(entry, look)
        }
    }

    /// The reasons of a transfer that may run: slots, or the staggered start after an outage.
    private func holdsInLine(_ entry: TransferEntry, _ look: Instant?) -> ([Hold], lookAgain: Instant?) {
        let now = assessment.now
        if let fullSlots {
            // While others run, time may take the permission away: then the reason changes.
            return ([Hold(.waitingForSlot(fullSlots), since: now)], look)
        }
        guard entry.isGated, let gate = drain.gate, now.instant < gate else { return ([], look) }
        return ([Hold(.settling(.network, until: gate), since: now)], Verdict.earlier(gate, look))
    }

    /// Explains a transfer that waits.
    ///
    /// - Parameter told: the reasons that were told last, whose beginnings hold on.
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

    /// When time alone lets it run; nil where it does not.
    private func release(of entry: TransferEntry) -> WallTime? {
        let now = assessment.now
        var later = assessment
        // One look for each reason that time takes away; a handful, since every kind of them comes once.
        for _ in 0..<16 {
            guard case .hold(_, let look?) = later.verdict(for: entry), later.now.instant < look else { return nil }
            later.context.now = now.advanced(by: now.instant.duration(to: look))
            if case .run = later.verdict(for: entry) { return later.now.wall }
        }
        return nil
    }

    /// The changes that would remove `hold`, as far as each alone lets the transfer run; time is another matter.
    private func changes(releasing hold: Hold, of entry: TransferEntry) -> [Remedy] {
        let isDiscretionary = entry.traits.kind == .discretionary
        let powerDwell = isDiscretionary ? assessment.configuration.powerDwell : .zero
        let networkDwell = isDiscretionary ? assessment.configuration.networkDwell : .zero
        var released = entry
        released.phase = .waiting(nil)
        let candidates: [(Remedy, TransferEntry, (inout Conditions) -> Void)]
        switch hold.reason {
        case .onBattery, .powerUnknown:
            candidates = [(.plugIn(after: powerDwell), entry, { $0.power.value = .ac })]
        case .batteryLow(_, let needed):
            candidates = [
                (.plugIn(after: powerDwell), entry, { $0.power.value = .ac }),
                (.chargeAbove(needed), entry, { $0.battery.value.level = min(100, needed + 1) }),
            ]
        case .metered:
            candidates = [(.joinUnmetered(after: networkDwell), entry, { $0.metered.value = .no })]
        case .noNetwork:
            candidates = [(Self.anyNetwork(for: entry, after: networkDwell), entry, { $0.join(allowedBy: entry) })]
        case .captivePortal:
            candidates = [(.logIn, entry, { $0.network.value = .full })]
        case .networkKind(_, let allowed):
            candidates = [(.joinKind(allowed, after: networkDwell), entry, { $0.join(allowedBy: entry) })]
        case .storageLow(let needed, let available):
            let missing = needed.map { max(0, $0.addingSaturating(max(0, available).negatedSaturating)) }
            candidates = [(.freeSpace(missing), released, { _ in })]
        case .suspended:
            candidates = [(.resume, released, { _ in })]
        case .waitingForSlot:
            return [.slot]
        case .connectionDenied:
            candidates = [(.joinAllowed(after: networkDwell), entry, { $0.joinConnection(allowedBy: entry) })]
        case .needsApp, .rateLimited:
            // Opened, it can do what it has to, and what it gave in the background is free.
            released = entry
            (released.need, released.relaunchDelay) = (nil, nil)
            candidates = [(.openApp, released, { _ in })]
        case .held(let holder, _) where hold.source != nil:
            candidates = [(.release(by: holder), entry, { $0.hold.value = nil })]
        case .held(let holder, _):
            released = entry
            released.held = nil
            candidates = [(.release(by: holder), released, { _ in })]
        case .budgetSpent:
            candidates = [(.joinUnmetered(after: networkDwell), entry, { $0.metered.value = .no })]
        case .notBefore, .outsideWindow, .settling, .backoff, .windowTooShort, .aboutToSleep, .aboutToShutDown:
            return []
        }
        return candidates.compactMap { remedy, changedEntry, change in
            var changed = assessment
            change(&changed.context.conditions)
            // All counts as settled: that takes time only, and the remedy itself says how long.
            changed.context.conditions.settle()
            guard case .run = changed.verdict(for: changedEntry) else { return nil }
            return remedy
        }
    }

    /// What to join where there is no network at all.
    private static func anyNetwork(for entry: TransferEntry, after dwell: Duration) -> Remedy {
        guard case .only(let kinds) = entry.traits.constraints.linkKinds else { return .joinNetwork(after: dwell) }
        return .joinKind(kinds, after: dwell)
    }
}

extension Conditions {
    /// Takes every fact for settled, as a program does with those that it finds when it starts.
    package mutating func settle() {
        power.isObservedChange = false
        network.isObservedChange = false
        linkKind.isObservedChange = false
        metered.isObservedChange = false
        connection.isObservedChange = false
        roaming.isObservedChange = false
    }

    /// Joins a connection that the transfer may use, at home; all else stays as it is.
    fileprivate mutating func joinConnection(allowedBy entry: TransferEntry) {
        let constraint = entry.traits.constraints.connection
        connection.value = constraint.allowed?.first { !constraint.denied.contains($0) }
        roaming.value = .no
    }

    /// Joins a usual network of a kind that the transfer may use; whether it costs is not known before.
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
    /// Whether better power or a free network would help.
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
    /// The elements without repetitions, in order.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
