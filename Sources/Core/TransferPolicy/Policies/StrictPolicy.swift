// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that runs work only on AC power and an unmetered network, regardless of deadlines.
///
/// Phones have this requirement for backups ("charging and on Wi-Fi").
public struct StrictPolicy: Policy, Hashable {
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates the policy. By default, unknown Ethernet and Wi-Fi links count as unmetered.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Returns whether the machine runs on AC power and an unmetered network.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
    }

    static let entry = PolicyCatalog.Entry(name: "strict", summary: "AC and unmetered") { _ in StrictPolicy() }
}

/// A single relaxation phase.
extension StrictPolicy: StagedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Returns whether the machine runs on AC power and an unmetered network.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}
