// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Runs on any network that costs nothing, whatever the power.
///
/// What most desktop updaters do ("not on metered connections").
public struct UnmeteredPolicy: Policy, Hashable {
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Says whether the network is free.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
    }

    static let entry = PolicyCatalog.Entry(name: "unmetered", summary: "any unmetered network") { _ in
        UnmeteredPolicy()
    }
}

/// One stage.
extension UnmeteredPolicy: StagedPolicy {
    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Always the first.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Says whether the network is free.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}
