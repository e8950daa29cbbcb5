// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that runs work at once on any network.
///
/// The baseline of every comparison: the shortest delay at any price.
public struct ImmediatePolicy: Policy, Hashable {
    /// Creates the policy, which has no settings.
    public init() {}

    /// Returns permission to run in every case. Only the transfer's own constraints decide.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        .run(relyingOn: [], lookAgain: nil)
    }

    static let entry = PolicyCatalog.Entry(name: "immediate", summary: "any network, at once") { _ in
        ImmediatePolicy()
    }
}

/// A single relaxation phase.
extension ImmediatePolicy: StagedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Returns permission to run in every case.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}
