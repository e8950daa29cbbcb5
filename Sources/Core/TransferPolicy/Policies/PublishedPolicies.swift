// SPDX-License-Identifier: Apache-2.0
public import TransferModel

// The policies of other systems that involve no dates.

/// The policy of the Background Intelligent Transfer Service: any network without extra charges and roaming,
/// immediately.
///
/// A job may instead require a network without costs and limits. The power supply does not matter.
///
/// ```swift
/// BitsPolicy(isUnrestricted: true)  // "bits:unrestricted=1" in the catalog
/// ```
///
/// Source: learn.microsoft.com, "BITS_JOB_TRANSFER_POLICY enumeration (bits5_0.h)", Windows 8 and later:
/// `BITS_JOB_TRANSFER_POLICY_STANDARD` 0x80000067 and `BITS_JOB_TRANSFER_POLICY_UNRESTRICTED` 0x80000021. A metered
/// link with an unknown plan is `BITS_COST_STATE_CAPPED_USAGE_UNKNOWN` (0x2), which the first of the two policies
/// permits. Left out: background priority yields to other traffic of the machine, and group policies can restrict
/// transfers.
public struct BitsPolicy: Policy, Hashable {
    /// A Boolean value that indicates whether the job requires a network without costs and limits. The default is
    /// `false`.
    public var isUnrestricted: Bool
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(isUnrestricted: Bool = false, unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) {
        self.isUnrestricted = isUnrestricted
        self.unknownMetered = unknownMetered
    }

    /// Returns permission to run if the network is cheap enough; otherwise, a wait.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        if isUnrestricted {
            return subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        }
        guard !subject.traits.isLoopback else { return .run(relyingOn: [], reevaluateAt: nil) }
        return ConnectionConstraint(allowsRoaming: false).verdict(under: context.conditions)
    }

    static let entry = PolicyCatalog.Entry(
        name: "bits", summary: "any network except roaming ones, or only unrestricted networks; any power source",
        parameters: [
            .init(
                "unrestricted", "1 to require a network without costs and limits, 0 otherwise", default: 0,
                in: 0...1,
                isWhole: true)
        ]
    ) { BitsPolicy(isUnrestricted: $0["unrestricted"] == 1) }
}

/// The policy of Mogwai, the download scheduler of Endless OS and GNOME Software: any network that is not metered.
///
/// If sources disagree, the more expensive report counts.
///
/// Source: the page on debugging of mogwai-scheduler ("Mogwai will automatically download updates on connections which
/// are considered 'not metered'"; the status of device and connection is combined pessimistically) and its manual
/// page mogwai-scheduled(8) 1.0. Left out: tariffs with hours of the day, which a user must enter there. Also left
/// out: the limit of one download at a time, which is a setting of the scheduler here.
///
/// ```swift
/// let policy: any Policy = MogwaiPolicy()  // "mogwai" in the catalog
/// ```
public struct MogwaiPolicy: Policy, Hashable {
    /// Creates the policy, which has no settings.
    public init() {}

    /// Returns permission to run on an unmetered network; otherwise, a wait. A network of unknown price counts as
    /// metered unless it is Ethernet or Wi-Fi.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: UnknownMeteredRule())
    }

    static let entry = PolicyCatalog.Entry(name: "mogwai", summary: "any unmetered network") { _ in
        MogwaiPolicy()
    }
}

/// The policy that Apple documents for discretionary transfers: plugged in and on Wi-Fi (or Ethernet).
///
/// Source: developer.apple.com, "isDiscretionary" of `URLSessionConfiguration` (iOS 7, macOS 10.10 and later): "the
/// system might delay transferring large files until the device is plugged in and connected to the network via
/// Wi-Fi". Also the Energy Efficiency Guides' "Defer Networking" ("plugged in or using Wi-Fi"). Apple does not
/// publish how long the system waits and which requirements it then drops, so this policy drops none.
///
/// ```swift
/// let policy: any Policy = ApplePolicy()  // "apple" in the catalog
/// ```
public struct ApplePolicy: Policy, Hashable {
    /// Creates the policy, which has no settings.
    public init() {}

    /// Returns permission to run on AC power and on Wi-Fi or Ethernet; otherwise, the wait reasons.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let power = PowerConstraint.ac.verdict(under: context.conditions)
        guard !subject.traits.isLoopback else { return power }
        return power.and(
            LinkKindConstraint.only([LinkKinds(.wifi), LinkKinds(.ethernet)]).verdict(under: context.conditions))
    }

    static let entry = PolicyCatalog.Entry(name: "apple", summary: "AC power, and Wi-Fi or Ethernet") { _ in
        ApplePolicy()
    }
}

/// A single relaxation phase.
extension BitsPolicy: PhasedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }

    /// Returns permission to run if the network is cheap enough; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}

/// A single relaxation phase.
extension MogwaiPolicy: PhasedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }

    /// Returns permission to run on an unmetered network; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}

/// A single relaxation phase.
extension ApplePolicy: PhasedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }

    /// Returns permission to run on AC power and on Wi-Fi or Ethernet; otherwise, the wait reasons.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }
}
