// SPDX-License-Identifier: Apache-2.0

import TransferModel
import TransferPolicy

/// Generates a subject and a context, and searches for a violation of the contract of staged policies.
struct StageExaminer: CustomStringConvertible {
    var dice: PolicyDice
    /// The phases and policy states that have occurred.
    private(set) var stages: Set<Int> = []
    private(set) var moods: Set<UInt64> = []
    private(set) var (runs, holds, stageChanges, moodChanges) = (0, 0, 0, 0)

    private var subject: PolicySubject
    private var context: PolicyContext

    init(seed: UInt64) {
        dice = PolicyDice(seed: seed)
        subject = dice.waitingSubject()
        context = dice.context()
    }

    var description: String { "\(subject)\n\(context)" }

    /// Returns a description of the fault in the policy's answers about new random values, or `nil` if there is no
    /// fault.
    mutating func fault(of policy: some StagedPolicy) -> String? {
        subject = dice.waitingSubject()
        context = dice.context()
        // In most cases, the transfer and the machine are from the same days.
        if dice.chance(80) { dice.bringNear(&context, to: subject) }
        return agreement(of: policy, on: subject, in: context) ?? stageFault(of: policy) ?? moodFault(of: policy)
            ?? likeness(of: policy) ?? quiet(of: policy) ?? unison(of: policy) ?? newcomer(of: policy)
            ?? end(of: policy)
    }

    /// The part of a verdict that a scheduler uses for a waiting transfer.
    private enum Answer: Hashable {
        case hold
        case run(RelevantFacts)

        init(_ verdict: Verdict) {
            switch verdict {
            case .run(let facts, _): self = .run(facts)
            case .hold: self = .hold
            }
        }
    }

    private static func answer(
        of policy: some StagedPolicy, atStage stage: Int, for subject: PolicySubject, in context: PolicyContext
    ) -> Answer {
        Answer(policy.verdict(atStage: stage, for: subject, in: context))
    }

    /// Checks that the verdict for the transfer's phase equals the transfer's own verdict.
    private mutating func agreement(
        of policy: some StagedPolicy, on subject: PolicySubject, in context: PolicyContext
    ) -> String? {
        let stage = policy.stage(of: subject, at: context.now.wall).number
        let count = policy.stageCount(withDeadline: subject.traits.constraints.deadline != nil)
        guard (0..<count).contains(stage) else { return "stage \(stage) of \(count)" }
        let staged = Self.answer(of: policy, atStage: stage, for: subject, in: context)
        let single = Answer(policy.verdict(for: subject, in: context))
        if case .run = single { runs += 1 } else { holds += 1 }
        return staged == single ? nil : "stage \(stage) says \(staged), the transfer's own verdict \(single)"
    }

    /// Checks that a phase lasts until its stated end. Another phase then begins, in which both verdicts also agree.
    private mutating func stageFault(of policy: some StagedPolicy) -> String? {
        let now = context.now.wall
        let stage = policy.stage(of: subject, at: now)
        stages.insert(stage.number)
        for date in dice.dates(from: now, before: stage.until) where policy.stage(of: subject, at: date) != stage {
            return "\(stage) at \(now), \(policy.stage(of: subject, at: date)) at \(date)"
        }
        guard let until = stage.until else { return nil }
        guard until > now else { return "\(stage) is over at \(now)" }
        stageChanges += 1
        guard policy.stage(of: subject, at: until).number != stage.number else { return "\(stage) goes on" }
        var then = context
        then.now.wall = until
        return agreement(of: policy, on: subject, in: then)
    }

    /// Checks that a policy state lasts until its stated end as long as only time passes.
    private mutating func moodFault(of policy: some StagedPolicy) -> String? {
        let mood = policy.mood(in: context)
        moods.insert(mood.key)
        guard mood.key >> 48 == 0 else { return "\(mood) takes more than 48 bits" }
        for later in dice.laterContexts(than: context, before: mood.until) {
            let next = policy.mood(in: later)
            if next.key != mood.key { return "\(mood) becomes \(next) at \(later.now)" }
        }
        guard let until = mood.until else { return nil }
        guard until > context.now.instant else { return "\(mood) is over at \(context.now)" }
        var then = context
        then.now = then.now.advanced(by: context.now.instant.duration(to: until))
        guard then.now.instant == until else { return nil }
        if policy.mood(in: then).key != mood.key { moodChanges += 1 }
        return agreement(of: policy, on: subject, in: then)
    }

    /// Checks that a similar transfer gets the same answer in each phase, in a context with the same values and
    /// policy state.
    private mutating func likeness(of policy: some StagedPolicy) -> String? {
        let other = dice.another(like: subject)
        var elsewhere = dice.context()
        let (before, key) = (context.conditions, policy.mood(in: context).key)
        elsewhere.conditions = dice.sameValues(as: before, at: elsewhere.now)
        // A verdict may depend on the queue only if the policy state says so.
        let isSameMood = policy.mood(in: elsewhere).key == key
        if !isSameMood { elsewhere = context }
        if !policy.moodFollowsQueue {
            var busy = context
            busy.queue = dice.context().queue
            if policy.mood(in: busy) != policy.mood(in: context) { return "the mood follows the queue in secret" }
        }
        for stage in stages {
            let here = Self.answer(of: policy, atStage: stage, for: subject, in: context)
            let there = Self.answer(of: policy, atStage: stage, for: other, in: elsewhere)
            if here != there { return "stage \(stage) says \(here), and \(there) of\n\(other) in\n\(elsewhere)" }
        }
        return nil
    }

    /// Checks that a request for all phases gives the same answers as single requests. Held phases remain held.
    private mutating func unison(of policy: some StagedPolicy) -> String? {
        let count = policy.stageCount(withDeadline: subject.traits.constraints.deadline != nil)
        let given = (0..<count).map { _ in dice.chance(80) ? RelevantFacts.connection : nil }
        var answers = given
        policy.narrow(&answers, for: subject, in: context)
        for stage in 0..<count {
            let verdict = policy.verdict(atStage: stage, for: subject, in: context)
            let expected = given[stage].flatMap { facts in verdict.facts.map { facts.union($0) } }
            if answers[stage] != expected { return "stage \(stage) of all says \(String(describing: answers[stage]))" }
        }
        return nil
    }

    /// Checks that the phase of a new transfer follows from its traits alone.
    private func newcomer(of policy: some StagedPolicy) -> String? {
        let traits = subject.traits
        let whole = PolicySubject(traits: traits, bytesTotal: traits.expectedBytesToReceive)
        let (new, known) = (
            policy.stage(ofNew: traits, at: context.now.wall), policy.stage(of: whole, at: context.now.wall)
        )
        return new == known ? nil : "\(new) of one that is new, and \(known)"
    }

    /// Checks that a policy that names no ends of runs gives none.
    private func end(of policy: some StagedPolicy) -> String? {
        guard !policy.namesEndsOfRuns else { return nil }
        var running = subject
        running.isRunning = true
        running.start = PolicySubject.Start(
            date: context.now.wall, bytesDone: running.bytesDone, rate: running.rate)
        guard case .run(_, let end?) = policy.verdict(for: running, in: context) else { return nil }
        return "it may run until \(end)"
    }

    /// Checks that the transfer's own verdict does not change while neither the phase nor the policy state changes.
    private mutating func quiet(of policy: some StagedPolicy) -> String? {
        let answer = Answer(policy.verdict(for: subject, in: context))
        let stage = policy.stage(of: subject, at: context.now.wall)
        for later in dice.laterContexts(than: context, before: policy.mood(in: context).until) {
            if let until = stage.until, later.now.wall >= until { continue }
            let next = Answer(policy.verdict(for: subject, in: later))
            if next != answer { return "\(answer) becomes \(next) at \(later.now) by time alone" }
        }
        return nil
    }
}
