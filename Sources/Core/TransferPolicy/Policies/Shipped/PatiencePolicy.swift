// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The policy that ships as `default`: a share of the time to a deadline is reserved for AC power, all of it, half, or none,
/// according to the patience of the user.
///
/// The guide *Comparing policies* shows what each patience costs in lateness and battery on recorded days.
///
/// ```swift
/// PatiencePolicy(.relaxed)  // "relaxed" in the catalog
/// ```
public struct PatiencePolicy: Policy, Hashable {
    /// The patience for transfers that do not state their own.
    public var patience: Patience

    /// Creates a policy. The default is `balanced`.
    public init(_ patience: Patience = .balanced) { self.patience = patience }

    /// The rules, in the order of the cases of `Patience`.
    private static let rules: [any PhasedPolicy] = [relaxedRule, balancedRule, promptRule]

    /// Returns the rule for a patience.
    public static func rule(for patience: Patience) -> any PhasedPolicy {
        switch patience {
        case .relaxed: relaxedRule
        case .balanced: balancedRule
        case .prompt: promptRule
        }
    }

    // Of the protocol's type, because each conversion of a policy allocates memory.
    private static let relaxedRule: any PhasedPolicy = HorizonPolicy(factor: 0, level: 20, share: 1)
    private static let balancedRule: any PhasedPolicy = HorizonPolicy(factor: 0, level: 20, share: 0.5)
    private static let promptRule: any PhasedPolicy = HorizonPolicy(factor: 0, level: 20, maximumWait: .zero)

    private func rule(of subject: PolicySubject) -> any PhasedPolicy {
        Self.rule(for: subject.traits.constraints.patience ?? patience)
    }

    /// Returns the verdict of the rule for the subject's patience.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        rule(of: subject).verdict(for: subject, in: context)
    }

    /// The entries for each patience, after the entry of the shipped default.
    static var entries: [PolicyCatalog.Entry] {
        let summaries = [
            Patience.relaxed: "AC power and an unmetered network; battery will do shortly before the deadline",
            .balanced: "AC power and an unmetered network; battery will do after half of the time to the deadline",
            .prompt: "an unmetered network, and AC power until 42 hours before the deadline",
        ]
        let shipped = PolicyCatalog.Entry(name: "default", summary: "the same as 'balanced'") { _ in PatiencePolicy() }
        return [shipped]
            + Patience.allCases.map { patience in
                PolicyCatalog.Entry(name: patience.rawValue, summary: summaries[patience] ?? "") { _ in
                    PatiencePolicy(patience)
                }
            }
    }
}

/// The phases and states of the rules. Transfers of one equivalence class have the same patience, so that a phase has
/// the meaning that the rule for the patience gives it.
extension PatiencePolicy: PhasedPolicy {
    /// Returns the largest number of phases of any rule.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int {
        Self.rules.map { $0.phaseCount(withDeadline: hasDeadline) }.max() ?? 1
    }

    /// A Boolean value that indicates whether a run may end by time alone.
    public var mayEndRunsByTime: Bool { Self.rules.contains { $0.mayEndRunsByTime } }

    /// Returns whether another estimate could stop a run under any rule.
    public func estimatesMayStopRuns(in context: PolicyContext) -> Bool {
        Self.rules.contains { $0.estimatesMayStopRuns(in: context) }
    }

    /// Returns the phase keys of all rules as one number.
    public func phaseKey(in context: PolicyContext) -> UInt64 {
        Self.rules.reduce(0) { $0 &* 0x9E37_79B9_7F4A_7C15 &+ $1.phaseKey(in: context) }
    }

    /// Returns the phase of `subject` on a machine without a history.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase {
        rule(of: subject).phase(of: subject, at: now)
    }

    /// Returns the phase of `subject` according to its rule.
    public func phase(of subject: PolicySubject, in context: PolicyContext) -> RelaxationPhase {
        rule(of: subject).phase(of: subject, in: context)
    }

    /// Returns the phase of a new transfer according to its rule.
    public func phase(ofNew traits: TransferTraits, in context: PolicyContext) -> RelaxationPhase {
        Self.rule(for: traits.constraints.patience ?? patience).phase(ofNew: traits, in: context)
    }

    /// Returns the verdict of the subject's rule on a phase. A rule with fewer phases repeats its last phase.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let rule = rule(of: subject)
        let hasDeadline = subject.traits.constraints.deadline != nil
        return rule.verdict(
            atPhase: min(phase, rule.phaseCount(withDeadline: hasDeadline) - 1), for: subject, in: context)
    }

    /// Returns the states of all rules, 16 bits for each.
    public func stateKey(in context: PolicyContext) -> PolicyStateKey {
        Self.rules.reduce(into: PolicyStateKey()) { all, rule in
            let state = rule.stateKey(in: context)
            all.key = all.key << 16 | state.key & 0xFFFF
            all.until = Verdict.earlier(all.until, state.until)
            all.untilWithoutDeadline = Verdict.earlier(all.untilWithoutDeadline, state.untilWithoutDeadline)
        }
    }

    /// Returns whether the state of the subject's rule matters.
    public func stateMatters(to subject: PolicySubject, in context: PolicyContext) -> Bool {
        rule(of: subject).stateMatters(to: subject, in: context)
    }
}

extension PatiencePolicy: OutlookPolicy {
    /// Returns the outlook of the subject's rule, if the rule has one.
    public func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook? {
        (rule(of: subject) as? any OutlookPolicy)?.outlook(for: subject, in: context)
    }
}
