// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that groups waiting transfers into a few relaxation phases, with one verdict per phase.
///
/// The engine evaluates a plain ``Policy`` for every waiting transfer on every event, which is fast enough for
/// thousands of transfers. A phased policy also keeps decisions instant with a million waiting transfers. In return,
/// the policy makes these promises about every subject that is not running:
///
/// - The subject's phase depends only on the subject, the wall clock, and ``phaseKey(in:)``, and does not change before
///   `until` while the key stays the same. The phase's number is below ``phaseCount(withDeadline:)``, and the last phase has no `until`.
/// - For the subject's phase, ``verdict(atPhase:for:in:)`` permits and delays exactly as ``Policy/verdict(for:in:)``
///   does, and relies on the same facts. The method reads only the subject's kind, its constraints other than dates,
///   whether it has a deadline, and whether its server is on this machine.
/// - Of the context, the verdict depends only on the values of the conditions and on the policy state that
///   ``stateKey(in:)`` returns.
///
/// The reasons shown to users, and all decisions about running transfers, come from ``Policy/verdict(for:in:)``.
public protocol PhasedPolicy: Policy {
    /// Returns the number of relaxation phases for subjects with a deadline, or for subjects without. The range is
    /// 1…255.
    ///
    /// A waiting transfer requests a re-evaluation only if a phase that it may still reach would permit it to run.
    func phaseCount(withDeadline hasDeadline: Bool) -> Int
    /// Returns the relaxation phase that a waiting `subject` has reached at `now`. The first phase is 0.
    func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase
    /// Returns the relaxation phase of a new transfer.
    ///
    /// The result equals the result of ``phase(of:at:)`` for
    /// `PolicySubject(traits: traits, bytesTotal: traits.expectedBytesToReceive)`, without the cost of creating the
    /// subject.
    func phase(ofNew traits: TransferTraits, at now: WallTime) -> RelaxationPhase
    /// Returns a number that stands for everything in `context`, other than the wall clock, that phases depend on.
    ///
    /// If the number changes, the engine determines the phase of every waiting transfer again. It may only change with
    /// the conditions. Most policies return the same number always.
    func phaseKey(in context: PolicyContext) -> UInt64
    /// Returns the relaxation phase that a waiting `subject` has reached, with regard to ``phaseKey(in:)``.
    func phase(of subject: PolicySubject, in context: PolicyContext) -> RelaxationPhase
    /// Returns the relaxation phase of a new transfer, with regard to ``phaseKey(in:)``.
    func phase(ofNew traits: TransferTraits, in context: PolicyContext) -> RelaxationPhase
    /// Returns the verdict on all subjects in a phase.
    ///
    /// The engine ignores the verdict's `reevaluateAt`, because phases and policy states carry the time of the next
    /// change.
    func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict
    /// Combines `permissions` with the verdicts of all phases.
    ///
    /// Each element of `permissions` belongs to one phase: the facts that permission to run depends on, or `nil` for a
    /// wait. The result must match ``verdict(atPhase:for:in:)``. A policy with many phases can implement this method
    /// to avoid one call per phase.
    func narrow(_ permissions: inout [RelevantFacts?], for subject: PolicySubject, in context: PolicyContext)
    /// Returns the policy state: the inputs from `context`, other than the conditions' values, that determine the
    /// verdicts.
    func stateKey(in context: PolicyContext) -> PolicyStateKey
    /// Returns whether another policy state could change the verdict on `subject` in any phase.
    ///
    /// The values of the conditions and the key of the policy state stay the same. If the result is `false`, the
    /// engine does not wake the transfer when the policy state changes.
    func stateMatters(to subject: PolicySubject, in context: PolicyContext) -> Bool
    /// A Boolean value that indicates whether ``Policy/verdict(for:in:)`` may name a re-evaluation when it lets a
    /// running subject continue.
    ///
    /// If the value is `false`, the engine skips this evaluation when an attempt begins.
    var mayEndRunsByTime: Bool { get }
    /// Returns whether another ``PolicySubject/estimate`` could stop a running subject under the conditions in
    /// `context`.
    ///
    /// If the result is `false`, the engine does not evaluate running transfers each time that a deadline is added or
    /// removed.
    func estimatesMayStopRuns(in context: PolicyContext) -> Bool
}

extension PhasedPolicy {
    /// Calls ``verdict(atPhase:for:in:)`` once for each phase.
    public func narrow(_ permissions: inout [RelevantFacts?], for subject: PolicySubject, in context: PolicyContext) {
        for phase in permissions.indices {
            guard let facts = permissions[phase] else { continue }
            let verdict = verdict(atPhase: phase, for: subject, in: context)
            permissions[phase] = verdict.facts.map { facts.union($0) }
        }
    }

    /// Calls ``phase(of:at:)`` with a subject created from `traits`.
    public func phase(ofNew traits: TransferTraits, at now: WallTime) -> RelaxationPhase {
        phase(of: PolicySubject(traits: traits, bytesTotal: traits.expectedBytesToReceive), at: now)
    }

    /// Returns 0: phases depend on nothing but the subject and the wall clock.
    public func phaseKey(in context: PolicyContext) -> UInt64 { 0 }

    /// Calls ``phase(of:at:)``.
    public func phase(of subject: PolicySubject, in context: PolicyContext) -> RelaxationPhase {
        phase(of: subject, at: context.now.wall)
    }

    /// Calls ``phase(ofNew:at:)``.
    public func phase(ofNew traits: TransferTraits, in context: PolicyContext) -> RelaxationPhase {
        phase(ofNew: traits, at: context.now.wall)
    }

    /// Returns a constant state: no other input influences the verdicts.
    public func stateKey(in context: PolicyContext) -> PolicyStateKey { PolicyStateKey() }
    /// Returns `true`, the safe value for any policy.
    public func stateMatters(to subject: PolicySubject, in context: PolicyContext) -> Bool { true }
    /// The default is `true`, the safe value for any policy.
    public var mayEndRunsByTime: Bool { true }
    /// Returns `true`, the safe value for any policy.
    public func estimatesMayStopRuns(in context: PolicyContext) -> Bool { true }
}

/// The relaxation phase that a transfer has reached.
///
/// ```swift
/// // Until the deadline comes near, the transfer waits for AC power.
/// let first = RelaxationPhase(0, until: deadline)
/// ```
public struct RelaxationPhase: Hashable, Sendable {
    /// The number of the phase, from 0 to one less than ``PhasedPolicy/phaseCount(withDeadline:)``. The engine limits
    /// other numbers to this range.
    public var number: Int
    /// The start of the next phase, or `nil` if this phase is the last.
    public var until: WallTime?

    /// Creates a phase. By default, the phase is the first and the last.
    public init(_ number: Int = 0, until: WallTime? = nil) {
        self.number = number
        self.until = until
    }
}

/// A policy state that influences all of a policy's verdicts until the state changes.
///
/// ```swift
/// // Another key in an hour: all verdicts of the policy are then evaluated again.
/// let key = PolicyStateKey(hour, until: now.instant.advanced(by: .seconds(3600)))
/// ```
public struct PolicyStateKey: Hashable, Sendable {
    /// The policy state key. Under equal conditions, two states with equal keys yield equal verdicts. All 64 bits count.
    /// Use few different keys, because the verdicts of each key are cached.
    public var key: UInt64
    /// The moment at which time alone may change the state, or `nil` if time alone cannot.
    public var until: Instant?
    /// The moment at which time alone may change the verdicts on transfers without a deadline. Never earlier than
    /// `until`.
    public var untilWithoutDeadline: Instant?

    /// Creates a state whose end is the same for transfers with and without a deadline.
    public init(_ key: UInt64 = 0, until: Instant? = nil) {
        self.key = key
        self.until = until
        untilWithoutDeadline = until
    }
}

/// A prediction for users: the date from which a waiting transfer no longer needs AC power, with the reason.
public struct PowerOutlook: Hashable, Sendable {
    /// The reason for the date.
    public enum Basis: Hashable, Sendable {
        /// Until then, the time to the deadline is reserved for AC power.
        case reserved
        /// The longest time that this machine has recently been without an unmetered network; zero if unknown.
        case absence(Duration)
        /// The time that the transfer needs.
        case need
    }

    /// The date from which battery power is acceptable.
    public var batteryFrom: WallTime
    /// The reason for the date.
    public var basis: Basis

    /// Creates an outlook.
    public init(batteryFrom: WallTime, basis: Basis) {
        self.batteryFrom = batteryFrom
        self.basis = basis
    }
}

/// A policy that can tell users how long a transfer waits for AC power.
///
/// ```swift
/// let outlook = HorizonPolicy().outlook(for: subject, in: context)
/// ```
public protocol OutlookPolicy: Policy {
    /// Returns the date from which `subject` no longer needs AC power; `nil` if there is no such date in the future.
    func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook?
}
