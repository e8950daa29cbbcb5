// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that treats transfers alike in a few stages, so that it is asked once for all that wait in the same one.
///
/// Any ``Policy`` is right with thousands of waiting transfers: each is asked about on every event. One that takes this
/// protocol too stays instant with a million. What it promises, of a subject that does not run:
///
/// - Its stage follows from the subject and the wall clock alone, and stays the same until `until`. It is below
///   ``stageCount(withDeadline:)``, and the last one has no `until`.
/// - ``verdict(atStage:for:in:)`` at that stage allows and holds exactly what ``Policy/verdict(for:in:)`` does, on the
///   same facts. It asks the subject for its kind, its constraints other than dates, and whether its server is on this
///   machine, and for nothing else.
/// - Of the context, that answer follows from the values of the conditions and from ``mood(in:)`` alone.
///
/// The reasons shown to people, and everything about transfers that run, come from ``Policy/verdict(for:in:)``.
public protocol StagedPolicy: Policy {
    /// How many stages there are for subjects with a deadline, or for those without, 1…255.
    ///
    /// What waits asks to be looked at again only while one of the stages that may lie before it would let it run.
    func stageCount(withDeadline hasDeadline: Bool) -> Int
    /// The stage that a subject which does not run has reached by `now`; 0 is the first.
    func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage
    /// The same of one that is new: of `PolicySubject(traits: traits, bytesTotal: traits.expectedBytesToReceive)`, which
    /// need not be put together.
    func stage(ofNew traits: TransferTraits, at now: WallTime) -> PolicyStage
    /// What is said of all subjects in a stage. `lookAgain` is not looked at: time is told by stages and moods.
    func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict
    /// Joins what is said at each stage with `answers`, by stage what leave to run stands on and nil for a hold, as
    /// ``verdict(atStage:for:in:)`` has it: a policy of many stages may know a shorter way than to be asked for each.
    func narrow(_ answers: inout [RelevantFacts?], for subject: PolicySubject, in context: PolicyContext)
    /// What in `context`, beside the conditions' values, the answers follow from.
    func mood(in context: PolicyContext) -> PolicyMood
    /// Whether another mood may change what is said of a subject at any stage, as long as the conditions' values and the
    /// key of the mood stay: nobody need be woken for one that changes nothing.
    func moodMatters(to subject: PolicySubject, in context: PolicyContext) -> Bool
    /// Whether the mood follows from ``PolicyContext/queue``, and is to be asked for when that changes.
    var moodFollowsQueue: Bool { get }
    /// Whether leave to run that ``Policy/verdict(for:in:)`` gives to a subject that runs may name a moment to look again;
    /// where it never does, nobody asks for one as each attempt begins.
    var namesEndsOfRuns: Bool { get }
}

extension StagedPolicy {
    /// Asks for each stage.
    public func narrow(_ answers: inout [RelevantFacts?], for subject: PolicySubject, in context: PolicyContext) {
        for stage in answers.indices {
            guard let facts = answers[stage] else { continue }
            let verdict = verdict(atStage: stage, for: subject, in: context)
            answers[stage] = verdict.facts.map { facts.union($0) }
        }
    }

    /// Asks for the whole subject's.
    public func stage(ofNew traits: TransferTraits, at now: WallTime) -> PolicyStage {
        stage(of: PolicySubject(traits: traits, bytesTotal: traits.expectedBytesToReceive), at: now)
    }

    /// Nothing.
    public func mood(in context: PolicyContext) -> PolicyMood { PolicyMood() }
    /// It may.
    public func moodMatters(to subject: PolicySubject, in context: PolicyContext) -> Bool { true }
    /// No.
    public var moodFollowsQueue: Bool { false }
    /// It may.
    public var namesEndsOfRuns: Bool { true }
}

/// Where a transfer stands on its way through a policy's stages.
public struct PolicyStage: Hashable, Sendable {
    /// Which stage, 0…255.
    public var number: Int
    /// When the next one begins; nil where this is the last.
    public var until: WallTime?

    /// A stage.
    public init(_ number: Int = 0, until: WallTime? = nil) {
        self.number = number
        self.until = until
    }
}

/// Something that colours all of a policy's answers until it changes.
public struct PolicyMood: Hashable, Sendable {
    /// Two moods with the same key give the same answers. 48 bits may be used.
    public var key: UInt64
    /// When time alone may change it; nil where it does not.
    public var until: Instant?
    /// When time alone may change what it means to transfers without a deadline, not before `until`.
    public var untilWithoutDeadline: Instant?

    /// A mood that means the same to all.
    public init(_ key: UInt64 = 0, until: Instant? = nil) {
        self.key = key
        self.until = until
        untilWithoutDeadline = until
    }
}
