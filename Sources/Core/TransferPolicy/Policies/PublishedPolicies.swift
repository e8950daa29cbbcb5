// SPDX-License-Identifier: Apache-2.0
public import TransferModel

// The rules of other systems that have no dates in them.

/// The Background Intelligent Transfer Service's: any network that is neither charged extra nor roams, at once; or, where
/// a job asks for it, one without costs and limits only. Power is not asked.
///
/// Source: learn.microsoft.com, "BITS_JOB_TRANSFER_POLICY enumeration (bits5_0.h)", Windows 8 and later:
/// `BITS_JOB_TRANSFER_POLICY_STANDARD` 0x80000067 and `BITS_JOB_TRANSFER_POLICY_UNRESTRICTED` 0x80000021. A metered link
/// whose plan nobody knows is `BITS_COST_STATE_CAPPED_USAGE_UNKNOWN` (0x2), which the first of the two lets through.
/// Left out: that background priority yields to other traffic of the machine, and what group policies say.
public struct BitsPolicy: Policy, Hashable {
    /// Whether the job asks for a network without costs and limits. Default no.
    public var isUnrestricted: Bool
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(isUnrestricted: Bool = false, unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) {
        self.isUnrestricted = isUnrestricted
        self.unknownMetered = unknownMetered
    }

    /// Says whether the network is cheap enough.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        if isUnrestricted {
            return subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        }
        guard !subject.traits.isLoopback else { return .run(relyingOn: [], lookAgain: nil) }
        return ConnectionConstraint(allowsRoaming: false).verdict(under: context.conditions)
    }

    static let entry = PolicyCatalog.Entry(
        name: "bits", summary: "any network that does not roam, or one without costs and limits; any power",
        parameters: [
            .init(
                "unrestricted", "whether a network without costs and limits is asked for, 1 or 0", default: 0,
                in: 0...1,
                isWhole: true)
        ]
    ) { BitsPolicy(isUnrestricted: $0["unrestricted"] == 1) }
}

/// Mogwai's, the download scheduler of Endless OS and GNOME Software: connections that are not metered; where sources
/// differ the dearer word counts.
///
/// Source: mogwai-scheduler's `docs/debugging.md` ("Mogwai will automatically download updates on connections which are
/// considered 'not metered'"; the status of device and connection is combined pessimistically) and its manual page
/// mogwai-scheduled(8) 1.0. Left out: tariffs with hours of the day, which a person has to enter there, and that one
/// download runs at a time, which is a setting of the scheduler here.
public struct MogwaiPolicy: Policy, Hashable {
    /// The rule.
    public init() {}

    /// Says whether the network is free. Of what nobody knows the dearer is taken.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: UnknownMeteredRule())
    }

    static let entry = PolicyCatalog.Entry(name: "mogwai", summary: "any network that is not metered") { _ in
        MogwaiPolicy()
    }
}

/// What Apple tells of discretionary transfers: plugged in and on Wi-Fi (or a cable).
///
/// Source: developer.apple.com, "isDiscretionary" of `URLSessionConfiguration` (iOS 7, macOS 10.10 and later): "the system
/// might delay transferring large files until the device is plugged in and connected to the network via Wi-Fi", and the
/// Energy Efficiency Guides' "Defer Networking" ("plugged in or using Wi-Fi"). Nothing is published of how long it waits
/// and what it gives up then, so nothing is given up here.
public struct ApplePolicy: Policy, Hashable {
    /// The rule.
    public init() {}

    /// Says whether it is plugged in and on Wi-Fi or a cable.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let power = PowerConstraint.ac.verdict(under: context.conditions)
        guard !subject.traits.isLoopback else { return power }
        return power.and(
            LinkKindConstraint.only([LinkKinds(.wifi), LinkKinds(.ethernet)]).verdict(under: context.conditions))
    }

    static let entry = PolicyCatalog.Entry(name: "apple", summary: "on AC and on Wi-Fi or a cable") { _ in ApplePolicy()
    }
}

/// One stage.
extension BitsPolicy: StagedPolicy {
    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Always the first.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Says whether the network is cheap enough.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}

/// One stage.
extension MogwaiPolicy: StagedPolicy {
    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Always the first.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Says whether the network is free.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}

/// One stage.
extension ApplePolicy: StagedPolicy {
    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Always the first.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Says whether it is plugged in and on Wi-Fi or a cable.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}
