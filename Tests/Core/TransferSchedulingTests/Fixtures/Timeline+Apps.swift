// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

// The events of apps, people, and settings, and detailed expectations.

extension Timeline {
    /// Performs the remaining verbs of an event.
    func perform(onApps words: Words) -> String? {
        let id = words.id(1)
        switch words.first {
        case "relaunch": machine.apply(.appRelaunched(words.word(1)))
        case "front": machine.apply(.appCameToFront(words.word(1)))
        case "abandon": machine.apply(.relaunchAbandoned(words.word(1)))
        case "hold": machine.apply(.held(id, by: words.word(2), why: words.rest(3)))
        case "release": machine.apply(.released(id))
        case "need":
            guard let need = AppNeed(rawValue: words.word(2)) else { return "no such need" }
            machine.apply(.appNeeded(id, need))
        case "answer": machine.apply(.appResponded(id))
        case "watch": machine.apply(.watched(id))
        case "unwatch": machine.apply(.unwatched(id))
        case "asked": machine.apply(.serverRequestedWait(server: words.word(1), words.duration(after: "for") ?? .zero))
        case "budget": return setBudget(words)
        case "policy":
            guard let policy = Self.policy(words.word(1)) else { return "no such policy" }
            machine.setPolicy(policy)
        case "crash": machine.restartAndRecover()  // The process ends and starts again.
        default: return "no such event"
        }
        return nil
    }

    /// Sets a budget: `budget app=x limit=1000 day=23 used=10`, `budget connection=home limit=1000`, `budget none`.
    private func setBudget(_ words: Words) -> String? {
        var registry = machine.statistics.budgets
        if words.word(1) == "none" {
            registry = ByteBudgetRegistry()
        } else {
            guard let limit = words["limit"].flatMap({ Int64($0) }), let day = Int(words["day"] ?? "1") else {
                return "no limit"
            }
            var budget = try? ByteBudget(limit: limit, billingDay: day, at: machine.now.wall, localTime: .utc)
            try? budget?.charge(words["used"].flatMap { Int64($0) } ?? 0, at: machine.now.wall, localTime: .utc)
            if let app = words["app"] { registry.apps[app] = budget }
            if let connection = words["connection"] { registry.connections[connection] = budget }
        }
        machine.apply(.budgetsChanged(registry))
        return nil
    }

    private static func policy(_ name: String) -> (any Policy)? {
        switch name {
        case "default": PatiencePolicy()
        case "immediate": ImmediatePolicy()
        case "unmetered": UnmeteredPolicy()
        case "strict": StrictPolicy()
        case "plain": PlainPolicy()
        default: nil
        }
    }

    // MARK: Expectations

    /// Checks an expectation that does not concern a single transfer.
    mutating func checkWhole(_ words: Words) -> String? {
        switch words.first {
        case "order":  // All starts so far. Accounts for the whole log.
            seen = machine.log.count
            let starts = machine.log.compactMap { entry -> String? in
                if case .start(let id) = entry.effect { "\(id.rawValue)" } else { nil }
            }
            return starts.joined(separator: ",") == words.word(1) ? nil : starts.joined(separator: ",")
        case "learned":  // The number of requested saves so far.
            let count = machine.log.count { $0.effect == .saveStatistics }
            return count == Int(words.word(1)) ? nil : "\(count) times"
        case "delay":  // expect delay app 60s
            let delay = machine.relaunchDelay(of: words.word(1))
            return delay == Self.duration(words.word(2)[...]) ? nil : "\(delay)"
        default: return "no such expectation"
        }
    }

    /// Checks the remaining expectations about a transfer.
    func checkDetail(_ id: TransferID, _ words: Words) -> String? {
        let explanation = machine.explanation(of: id)
        switch words.word(1) {
        case "because":  // The reasons with their values.
            let reasons = explanation?.reasons.map { Self.text($0.reason) }.joined(separator: ",") ?? "gone"
            return reasons == words.word(2) ? nil : "because \(reasons)"
        case "waited":
            let times = explanation?.waited.map { "\($0.code)=\(Self.text($0.time))" }.joined(separator: ",") ?? "gone"
            return times == words.word(2) ? nil : "waited \(times)"
        case "chance":
            let chance = explanation?.expectedChance.map { Self.text(Machine.start.wall.duration(to: $0)) } ?? "none"
            return chance == words.word(2) ? nil : chance
        case "looked":  // The time of the scheduled re-evaluation.
            let reevaluation =
                explanation?.nextReevaluation.map { Self.text(Machine.start.wall.duration(to: $0)) } ?? "never"
            return reevaluation == words.word(2) ? nil : reevaluation
        case "told":  // All times at which the reasons were reported.
            let times = machine.log.filter { $0.effect == .explain(id) }.map { Self.text($0.time) }
                .joined(separator: ",")
            return times == words.word(2) ? nil : "reported at \(times)"
        case "holdSaved":
            let hold = machine.store[id]?.state.relaunchDelay.map { "\($0.relaunch)" } ?? "none"
            return hold == words.word(2) ? nil : hold
        case "gone": return explanation == nil ? nil : "it is still there"
        case "stopping":
            return machine.attempts[id] != nil && explanation?.reasons.isEmpty == false ? nil : "it is not"
        case "paused", "unpaused":
            return machine.store[id]?.state.isPaused == (words.word(1) == "paused") ? nil : "it is not"
        default: return "no such expectation"
        }
    }

    // MARK: Words

    /// Returns a duration in seconds, with as many decimal places as necessary.
    static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        guard attoseconds != 0 else { return "\(seconds)s" }
        var digits = String(attoseconds / 1_000_000_000 + 1_000_000_000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(seconds).\(digits)s"
    }

    static func text(_ reason: Reason) -> String {
        func date(_ wall: WallTime) -> String { text(Machine.start.wall.duration(to: wall)) }
        func moment(_ instant: Instant) -> String { text(Machine.start.instant.duration(to: instant)) }
        let data: [String] =
            switch reason {
            case .rateLimited(let delay, let relaunches, let until): [text(delay), "\(relaunches)", date(until)]
            case .budgetSpent(let renewed): ["meteredBytes", renewed.map(date) ?? "never"]
            case .held(let holder, let why): [holder, why]
            case .needsApp(let need): [need.rawValue]
            case .windowTooShort(let needed, let left): [text(needed), text(left)]
            case .waitingForSlot(.global): ["global"]
            case .waitingForSlot(.host(let name)): ["host", name]
            case .waitingForSlot(.session(let name)): ["session", name]
            case .waitingForSlot(.app(let name)): ["app", name]
            case .debouncing(let condition, let until): [condition.rawValue, moment(until)]
            case .backoff(let attempt, let cause, _): ["\(attempt)", cause.code]
            case .notBefore(let until), .retryAfter(let until): [date(until)]
            case .outsideWindow(let opens): [opens.map(date) ?? "never"]
            case .price(_, _, let until, _): [until.map(date) ?? "never"]
            case .priceUnknown(let end): [end.map(date) ?? "never"]
            case .custom(let constraint, let value, _): ["\(constraint)", value ?? "unknown"]
            case .onBattery, .batteryLow, .powerUnknown, .metered, .noNetwork, .captivePortal, .networkKind,
                .connectionDenied, .storageLow, .suspended, .aboutToSleep, .aboutToShutDown:
                []
            }
        return ([reason.code] + data).joined(separator: ":")
    }
}

/// A policy without phases that always permits.
private struct PlainPolicy: Policy {
    func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        .run(relyingOn: [], reevaluateAt: nil)
    }
}
