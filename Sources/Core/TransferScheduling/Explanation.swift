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
    /// Join a connection that it may use; it starts `after` that.
    case joinAllowed(after: Duration)
    /// Open its app, which has something to do.
    case openApp
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
    /// When conditions are likely to be good next, going by past weeks; nil while too little was learned.
    public var expectedChance: WallTime?
    /// How long it has waited under each reason since this process knows it, by the reason's code, in that order.
    public var waited: [ReasonTime]

    /// An explanation.
    public init(
        holds: [Hold], remedies: [Remedy], nextLook: WallTime?, isLate: Bool, expectedChance: WallTime? = nil,
        waited: [ReasonTime] = []
    ) {
        self.waited = waited
        self.holds = holds
        self.remedies = remedies
        self.nextLook = nextLook
        self.isLate = isLate
        self.expectedChance = expectedChance
    }
}

/// How long a transfer has waited for one kind of reason.
public struct ReasonTime: Hashable, Sendable {
    /// The reason's ``Reason/code``.
    public var code: String
    /// How long, times that overlap with other reasons included.
    public var time: Duration

    /// A time.
    public init(code: String, time: Duration) {
        self.code = code
        self.time = time
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
        let assessment = Assessment(configuration: configuration, policy: policy, context: context(at: now))
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
        var remedies = holds.flatMap { changes(releasing: $0.reason, entry: waiting, at: now) }
        if let release = release(of: waiting, at: now) { remedies.append(.wait(until: release)) }
        return Explanation(
            holds: sinceKept, remedies: remedies.uniqued(), nextLook: lookAgain.map(now.wall(at:)), isLate: isLate,
            expectedChance: holds.contains(where: \.isOfConditions)
                ? history.week.nextChance(after: now.wall, localTime: conditions.localTime) : nil)
    }

    /// When time alone lets it run; nil where it does not.
    private func release(of entry: TransferEntry, at now: Moment) -> WallTime? {
        var later = Assessment(configuration: configuration, policy: policy, context: context(at: now))
        // One look for each reason that time takes away; a handful, since every kind of them comes once.
        for _ in 0..<16 {
            guard case .hold(_, let look?) = later.verdict(for: entry), later.now.instant < look else { return nil }
            var context = later.context
            context.now = now.advanced(by: now.instant.duration(to: look))
            later = Assessment(configuration: configuration, policy: policy, context: context)
            if case .run = later.verdict(for: entry) { return later.now.wall }
        }
        return nil
    }

    /// The changes that would remove `reason`, as far as each alone lets the transfer run; time is another matter.
    private func changes(releasing reason: Reason, entry: TransferEntry, at now: Moment) -> [Remedy] {
        let isDiscretionary = entry.traits.kind == .discretionary
        let powerDwell = isDiscretionary ? configuration.powerDwell : .zero
        let networkDwell = isDiscretionary ? configuration.networkDwell : .zero
        var released = entry
        released.phase = .waiting(nil)
        let candidates: [(Remedy, TransferEntry, (inout Conditions) -> Void)]
        switch reason {
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
        case .needsApp:
            return [.openApp]
        case .notBefore, .outsideWindow, .settling, .backoff, .rateLimited, .budgetSpent, .held, .windowTooShort:
            return []
        }
        let context = context(at: now)
        return candidates.compactMap { remedy, changedEntry, change in
            var changed = context
            change(&changed.conditions)
            // All counts as settled: that takes time only, and the remedy itself says how long.
            changed.conditions.settle()
            let assessment = Assessment(configuration: configuration, policy: policy, context: changed)
            guard case .run = assessment.verdict(for: changedEntry) else { return nil }
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
    /// Takes every fact for settled.
    fileprivate mutating func settle() {
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
            .backoff, .storageLow, .suspended, .rateLimited, .budgetSpent, .held, .needsApp, .windowTooShort:
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
