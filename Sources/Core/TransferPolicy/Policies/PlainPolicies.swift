// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that runs work immediately on any network.
///
/// The baseline of every comparison: the shortest delay at any price.
///
/// ```swift
/// let policy: any Policy = ImmediatePolicy()  // "immediate" in the catalog
/// ```
public struct ImmediatePolicy: Policy, Hashable {
    /// Creates the policy, which has no settings.
    public init() {}

    /// Returns permission to run in every case. Only the transfer's own constraints decide.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        .run(relyingOn: [], reevaluateAt: nil)
    }

    static let entry = PolicyCatalog.Entry(name: "immediate", summary: "any network, immediately") { _ in
        ImmediatePolicy()
    }
}

/// A single relaxation phase.
extension ImmediatePolicy: PhasedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }

    /// Returns permission to run in every case.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}

/// A policy that runs work only on AC power and an unmetered network, regardless of deadlines.
///
/// Phones have this requirement for backups ("charging and on Wi-Fi").
///
/// ```swift
/// let policy: any Policy = StrictPolicy()  // "strict" in the catalog
/// ```
public struct StrictPolicy: Policy, Hashable {
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates the policy. By default, unknown Ethernet and Wi-Fi links count as unmetered.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Returns permission to run on AC power and an unmetered network; otherwise, the wait reasons.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
    }

    static let entry = PolicyCatalog.Entry(name: "strict", summary: "AC power and unmetered") { _ in StrictPolicy() }
}

/// A single relaxation phase.
extension StrictPolicy: PhasedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }

    /// `false`, because only the conditions end a run.
    public var mayEndRunsByTime: Bool { false }

    /// Returns `false`, because the verdict does not use the estimate.
    public func estimatesMayStopRuns(in context: PolicyContext) -> Bool { false }

    /// Returns permission to run on AC power and an unmetered network; otherwise, the wait reasons.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}

/// A policy that runs work on any unmetered network, regardless of the power supply.
///
/// Most desktop updaters follow this rule ("not on metered connections").
///
/// ```swift
/// let policy: any Policy = UnmeteredPolicy()  // "unmetered" in the catalog
/// ```
public struct UnmeteredPolicy: Policy, Hashable {
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates the policy. By default, unknown Ethernet and Wi-Fi links count as unmetered.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Returns permission to run on an unmetered network; otherwise, a wait.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
    }

    static let entry = PolicyCatalog.Entry(name: "unmetered", summary: "any unmetered network") { _ in
        UnmeteredPolicy()
    }
}

/// A single relaxation phase.
extension UnmeteredPolicy: PhasedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }

    /// `false`, because only the conditions end a run.
    public var mayEndRunsByTime: Bool { false }

    /// Returns `false`, because the verdict does not use the estimate.
    public func estimatesMayStopRuns(in context: PolicyContext) -> Bool { false }

    /// Returns permission to run on an unmetered network; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}
