// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Runs on AC and on a network that costs nothing; no deadline changes that.
///
/// What phones ask for before they back up ("charging and on Wi-Fi").
public struct StrictPolicy: Policy, Hashable {
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Says whether both hold.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
    }

    static let entry = PolicyCatalog.Entry(name: "strict", summary: "AC and unmetered") { _ in StrictPolicy() }
}

/// One stage.
extension StrictPolicy: StagedPolicy {
    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Always the first.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Says whether both hold.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}
