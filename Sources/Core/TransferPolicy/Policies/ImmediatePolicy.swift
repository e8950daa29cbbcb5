// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Runs at once on any network.
///
/// The baseline of every comparison: the shortest delay, at whatever price.
public struct ImmediatePolicy: Policy, Hashable {
    /// The rule.
    public init() {}

    /// Always yes: constraints alone decide.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        .run(relyingOn: [], lookAgain: nil)
    }

    static let entry = PolicyCatalog.Entry(name: "immediate", summary: "any network, at once") { _ in
        ImmediatePolicy()
    }
}

/// One stage.
extension ImmediatePolicy: StagedPolicy {
    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Always the first.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Always yes.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}
