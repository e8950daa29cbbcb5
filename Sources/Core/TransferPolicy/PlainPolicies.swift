// SPDX-License-Identifier: Apache-2.0

/// Runs at once on any network.
public struct ImmediatePolicy: Policy, Hashable {
    /// The rule.
    public init() {}

    /// Always yes: constraints alone decide.
    public func verdict(for subject: PolicySubject, under conditions: Conditions, at now: Moment) -> Verdict {
        .run(relyingOn: [], lookAgain: nil)
    }
}

/// Runs on any network that costs nothing, whatever the power.
public struct UnmeteredPolicy: Policy, Hashable {
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Says whether the network is free.
    public func verdict(for subject: PolicySubject, under conditions: Conditions, at now: Moment) -> Verdict {
        subject.unmeteredVerdict(under: conditions, treatingUnknownAs: unknownMetered)
    }
}

/// Runs on AC and on a network that costs nothing; no deadline changes that.
public struct StrictPolicy: Policy, Hashable {
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Says whether both hold.
    public func verdict(for subject: PolicySubject, under conditions: Conditions, at now: Moment) -> Verdict {
        PowerConstraint.ac.verdict(under: conditions)
            .and(subject.unmeteredVerdict(under: conditions, treatingUnknownAs: unknownMetered))
    }
}
