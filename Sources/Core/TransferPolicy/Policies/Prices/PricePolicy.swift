// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A policy that waits for cheap energy on an unmetered network, by a tariff or by the carbon intensity of the grid.
///
/// The time that the transfer needs is the engine's estimate with its usual margin. A transfer of unknown size counts as
/// short. The transfer runs at any price from its latest start on, and after its deadline. Without a deadline, the
/// policy plans from the transfer's earliest start for the time ``horizon``, and then runs the transfer at any price.
///
/// While the present price is unknown, there is nothing to compare, and the policy acts as ``UnmeteredPolicy`` does. To
/// wait for a known price instead, use a `PriceConstraint`. Prices that are not known yet never attract a transfer.
/// The policy does not predict the network: if there is none at the chosen time, it chooses again from what is left.
/// The power supply does not matter to the policy; combine it with a constraint, such as `--when ac`.
///
/// The policy decides each transfer individually, so a scheduler evaluates each waiting transfer on every event. A
/// decision takes time in proportion to the number of prices before the deadline.
///
/// ```swift
/// PricePolicy(.cheapestWindow, horizon: .seconds(12 * 3600))  // "price:horizon=12" in the catalog
/// ```
///
/// Sources of the rules:
/// - ``Rule/cheapestWindow``: "Lowest Carbon Window" of Hanafy et al., "Going Green for Less Green: Optimizing the Cost
///   of Reducing Cloud Carbon Emissions", ASPLOS 2024; read as `oracle_carbon_slot` in
///   `src/scheduling/carbon_waiting_policy.py` of `umassos/GAIA` at commit 2c1c25fa. The source tries whole hours.
/// - ``Rule/cheapestTimes``: Wiesner et al., "Let's Wait Awhile: How Temporal Workload Shifting Can Reduce Carbon
///   Emissions in the Cloud", Middleware 2021, for interruptible work.
/// - ``Rule/savingPerWait``: "Carbon Saving per Waiting Time" of the same ASPLOS paper; read as
///   `oracle_carbon_slot_waiting` in the same file. The saving is divided by the time until the end of the transfer.
public struct PricePolicy: Policy, Hashable {
    /// The ways to choose the time of a transfer.
    public enum Rule: Hashable, Sendable, CaseIterable {
        /// The cheapest uninterrupted run that ends by the deadline. A run that has begun continues at any price.
        case cheapestWindow
        /// The cheapest times before the deadline that are long enough together. A run stops when a cheap time ends.
        case cheapestTimes
        /// The uninterrupted run that saves most in proportion to the time until its end.
        case savingPerWait
    }

    /// The way to choose the time of a transfer.
    public var rule: Rule
    /// The time to plan for if the transfer has no deadline. The default is 24 h.
    public var horizon: Duration
    /// The rule for a link whose metered state no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        _ rule: Rule = .cheapestWindow, horizon: Duration = .seconds(86_400),
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.rule = rule
        self.horizon = horizon
        self.unknownMetered = unknownMetered
    }

    /// Returns permission to run on an unmetered network if no better time follows; otherwise, a wait.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
            .and(priceVerdict(for: subject, in: context))
    }

    private func priceVerdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let (now, fact) = (context.now.wall, context.conditions.priceCurve)
        let end = subject.traits.constraints.deadline?.date ?? subject.begin.advanced(by: horizon)
        guard let curve = fact.value, end > now, rule == .cheapestTimes || !subject.isRunning else { return .free }
        let outlook = PriceOutlook(curve, from: now, to: end)
        let latest = subject.latestStart(before: end) ?? end
        let need = Double(latest.duration(to: end).wholeNanoseconds) / 1e9
        guard let price = outlook.priceNow, latest > now else {
            // The first known price is worth another look, also at a run whose times may be apart.
            let next = latest > now ? curve.nextChange(after: now) : nil
            return .run(relyingOn: [], reevaluateAt: context.reevaluation(at: next))
        }
        let start: Double
        switch rule {
        case .cheapestWindow: start = cheapestStart(in: outlook, need)
        case .savingPerWait: start = mostSavingStart(in: outlook, need)
        case .cheapestTimes:
            let chosen = outlook.cheapest(ofTotal: max(need, 1))
            if let first = chosen.first, first.start <= 0 {
                let date = now.advanced(by: Duration(clampingSeconds: first.end))
                return .run(relyingOn: [], reevaluateAt: context.reevaluation(at: min(date, end)))
            }
            start = chosen.first?.start ?? 0
        }
        guard start > 0 else { return .free }
        // Rounded up, so that the chosen time has come at the re-evaluation.
        let date = min(now.advanced(by: Duration(clampingSeconds: start + 1e-6)), latest)
        let reason = Reason.price(price, limit: nil, until: date, knownUntil: curve.end ?? now)
        return .wait(
            [WaitReason(reason, since: context.now, source: fact.source, confidence: fact.confidence)],
            reevaluateAt: context.reevaluation(at: date))
    }

    /// Returns the start of the cheapest run, in seconds from now. Of equal runs, the first counts.
    private func cheapestStart(in outlook: PriceOutlook, _ need: Double) -> Double {
        let seconds = max(need, 1)
        var best = (start: 0.0, cost: outlook.cost(from: 0, to: seconds))
        for start in outlook.starts(ofRun: seconds) {
            let cost = outlook.cost(from: start, to: start + seconds)
            if cost < best.cost - outlook.tolerance { best = (start, cost) }
        }
        return best.start
    }

    /// Returns the start of the run that saves most per second until its end, in seconds from now. Zero if no later run
    /// saves anything.
    private func mostSavingStart(in outlook: PriceOutlook, _ need: Double) -> Double {
        let seconds = max(need, 1)
        let cost = outlook.cost(from: 0, to: seconds)
        var best = (start: 0.0, saving: outlook.tolerance / seconds)
        for start in outlook.starts(ofRun: seconds) {
            let saving = (cost - outlook.cost(from: start, to: start + seconds)) / (start + seconds)
            if saving > best.saving { best = (start, saving) }
        }
        return best.start
    }
}

extension Verdict {
    /// Permission to run that time alone does not end.
    fileprivate static var free: Verdict { .run(relyingOn: [], reevaluateAt: nil) }
}

extension PricePolicy {
    /// The entries for the rules.
    static var entries: [PolicyCatalog.Entry] {
        [
            entry("price", .cheapestWindow, "unmetered, in the cheapest window before the deadline"),
            entry("wait-awhile", .cheapestTimes, "unmetered, in the cheapest hours before the deadline, with pauses"),
            entry("saving-per-wait", .savingPerWait, "unmetered, in the window that saves most for its waiting time"),
        ]
    }

    private static func entry(_ name: String, _ rule: Rule, _ summary: String) -> PolicyCatalog.Entry {
        PolicyCatalog.Entry(
            name: name, summary: summary + "; needs a price curve",
            parameters: [
                .init("horizon", "time to plan for without a deadline", unit: "h", default: 24, in: 0...8760)
            ]
        ) { PricePolicy(rule, horizon: Duration(clampingSeconds: $0["horizon"] * 3600)) }
    }
}
