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
