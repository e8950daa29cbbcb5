// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy

/// What one change alone would set a waiting transfer going.
public enum Remedy: Hashable, Sendable {
    /// Plug the machine in; it starts `after` that.
    case plugIn(after: Duration)
    /// Charge the battery above this level, in percent.
    case chargeAbove(Int)
    /// Join a network that costs nothing; it starts `after` that.
    case joinUnmetered(after: Duration)
    /// Join any network; it starts `after` that.
    case joinNetwork(after: Duration)
    /// Log in at the network's portal.
    case logIn
    /// Join a network of one of these kinds; it starts `after` that.
    case joinKind(LinkKinds, after: Duration)
    /// Nothing but time: it starts then.
    case wait(until: WallTime)
    /// Another transfer's end.
    case slot
    /// Free this many bytes; nil when it is not known how many.
    case freeSpace(Int64?)
    /// Resume it.
    case resume
}

/// Everything there is to say about why a transfer does not run, and when it will.
public struct Explanation: Hashable, Sendable {
    /// All the reasons, each with its source and since when it holds; empty while it runs.
    public var holds: [Hold]
    /// What alone would release it; empty where only several changes together would.
    public var remedies: [Remedy]
    /// When it will be looked at again without anything happening; nil when only an event can change it.
    public var nextLook: WallTime?
    /// Whether its deadline has passed.
    public var isLate: Bool

    /// An explanation.
    public init(holds: [Hold], remedies: [Remedy], nextLook: WallTime?, isLate: Bool) {
        self.holds = holds
        self.remedies = remedies
        self.nextLook = nextLook
        self.isLate = isLate
    }
}

extension Scheduler {
    /// Why the transfer waits at `now`, and what alone would release it; nil when there is no such transfer.
    ///
    /// Costs a handful of policy calls; meant for people, not for every event.
    public func explanation(of id: TransferID, at now: Moment) -> Explanation? {
        guard let entry = entries[id] else { return nil }
        let isLate = entry.traits.constraints.deadline.map { $0.date < now.wall } ?? false
        if case .running = entry.phase {
            return Explanation(holds: [], remedies: [], nextLook: nil, isLate: isLate)
        }
        var waiting = entry
        if case .stopping(let after) = entry.phase { waiting.phase = after == .pause ? .paused : .waiting(nil) }
        let assessment = Assessment(configuration: configuration, policy: policy, conditions: conditions, now: now)
        let verdict = assessment.verdict(for: waiting)
        guard case .hold(let holds, let lookAgain) = verdict else {
            // It may run: what holds it is what was found when slots were given out.
            let isInLine = entry.holds.contains { if case .waitingForSlot = $0.reason { true } else { false } }
            return Explanation(
                holds: entry.holds, remedies: isInLine ? [.slot] : [], nextLook: nil, isLate: isLate)
        }
        let sinceKept = holds.map { hold in
            hold.source == nil ? entry.holds.first { $0.reason == hold.reason } ?? hold : hold
        }
        let remedies = holds.compactMap { remedy(for: $0.reason, entry: waiting, lookAgain: lookAgain, at: now) }
        return Explanation(
            holds: sinceKept, remedies: remedies.uniqued(), nextLook: lookAgain.map(now.wall(at:)), isLate: isLate)
    }

    /// The change that would remove `reason`, if that alone lets the transfer run.
    private func remedy(for reason: Reason, entry: TransferEntry, lookAgain: Instant?, at now: Moment) -> Remedy? {
        var changed = conditions
        var changedEntry = entry
        var later = now
        let remedy: Remedy
        let isDiscretionary = entry.traits.kind == .discretionary
        let networkDwell = isDiscretionary ? configuration.networkDwell : .zero
        switch reason {
        case .onBattery, .powerUnknown:
            changed.power.value = .ac
            remedy = .plugIn(after: isDiscretionary ? configuration.powerDwell : .zero)
        case .batteryLow(_, let needed):
            changed.battery.value.level = min(100, needed + 1)
            remedy = .chargeAbove(needed)
        case .metered:
            changed.metered.value = .no
            remedy = .joinUnmetered(after: networkDwell)
        case .noNetwork:
            changed.network.value = .full
            if changed.linkKind.value == .unknown { changed.linkKind.value = .ethernet }
            remedy = .joinNetwork(after: networkDwell)
        case .captivePortal:
            changed.network.value = .full
            remedy = .logIn
        case .networkKind(_, let allowed):
            changed.linkKind.value = allowed.kinds.first ?? .unknown
            remedy = .joinKind(allowed, after: networkDwell)
        case .notBefore, .outsideWindow, .settling, .backoff:
            guard let lookAgain else { return nil }
            later = now.advanced(by: now.instant.duration(to: lookAgain))
            remedy = .wait(until: later.wall)
        case .storageLow(let needed, let available):
            changedEntry.phase = .waiting(nil)
            remedy = .freeSpace(needed.map { max(0, $0 - available) })
        case .suspended:
            changedEntry.phase = .waiting(nil)
            remedy = .resume
        case .waitingForSlot:
            return .slot
        }
        // What was changed here counts as settled: the remedy itself says how long settling takes.
        changed.power.isObservedChange = changed.power.isObservedChange && changed.power == conditions.power
        if changed.metered != conditions.metered || changed.network != conditions.network
            || changed.linkKind != conditions.linkKind
        {
            changed.metered.isObservedChange = false
            changed.network.isObservedChange = false
            changed.linkKind.isObservedChange = false
        }
        let assessment = Assessment(configuration: configuration, policy: policy, conditions: changed, now: later)
        guard case .run = assessment.verdict(for: changedEntry) else { return nil }
        return remedy
    }
}

extension Array where Element: Hashable {
    /// The elements without repetitions, in order.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
