// SPDX-License-Identifier: Apache-2.0

import TransferModel
import TransferPolicy

/// Generates a subject and a context, and searches for a violation of the contract of tables.
struct TableExaminer: CustomStringConvertible {
    var generator: PolicyGenerator
    /// The phases and policy states that have occurred.
    private(set) var phases: Set<Int> = []
    private(set) var states: Set<UInt64> = []
    private(set) var (runs, waits, phaseChanges, stateChanges) = (0, 0, 0, 0)

    private var subject: PolicySubject
    private var context: PolicyContext

    init(seed: UInt64) {
        generator = PolicyGenerator(seed: seed)
        subject = generator.waitingSubject()
        context = generator.context()
    }

    var description: String { "\(subject)\n\(context)" }

    /// Returns a description of the fault in the policy's verdicts on new random values, or `nil` if there is no fault.
    mutating func fault(of policy: some TablePolicy) -> String? {
        subject = generator.waitingSubject()
        context = generator.context()
        // In most cases, the transfer and the machine are from the same days.
        if generator.chance(80) { generator.bringNear(&context, to: subject) }
        return agreement(of: policy, on: subject, in: context) ?? phaseFault(of: policy) ?? stateFault(of: policy)
            ?? likeness(of: policy) ?? quiet(of: policy) ?? end(of: policy)
    }

    /// The part of a verdict that a scheduler uses for a waiting transfer.
    private enum Permission: Hashable {
        case wait
        case run(RelevantFacts)

        init(_ verdict: Verdict) {
            switch verdict {
            case .run(let facts, _): self = .run(facts)
            case .wait: self = .wait
            }
        }
    }

    private static func answer(
        of policy: some TablePolicy, atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext
    ) -> Permission {
        let permissions = policy.table(of: subject, in: context).permissions(for: subject.traits, in: context)
        return permissions[phase].map(Permission.run) ?? .wait
    }

    /// Checks that the verdict for the transfer's phase equals the transfer's own verdict.
    private mutating func agreement(
        of policy: some TablePolicy, on subject: PolicySubject, in context: PolicyContext
    ) -> String? {
        let phase = policy.phase(of: subject, in: context).number
        let count = policy.table(of: subject, in: context).phaseCount
        guard (0..<count).contains(phase) else { return "stage \(phase) of \(count)" }
        let staged = Self.answer(of: policy, atPhase: phase, for: subject, in: context)
        let single = Permission(policy.verdict(for: subject, in: context))
        if case .run = single { runs += 1 } else { waits += 1 }
        return staged == single ? nil : "stage \(phase) says \(staged), the transfer's own verdict \(single)"
    }

    /// Checks that a phase lasts until its stated end. Another phase then begins, in which both verdicts also agree.
    private mutating func phaseFault(of policy: some TablePolicy) -> String? {
        let now = context.now.wall
        let phase = policy.phase(of: subject, in: context)
        phases.insert(phase.number)
        for date in generator.dates(from: now, before: phase.until) where self.phase(of: policy, at: date) != phase {
            return "\(phase) at \(now), \(self.phase(of: policy, at: date)) at \(date)"
        }
        guard let until = phase.until else { return nil }
        guard until > now else { return "\(phase) has ended at \(now)" }
        phaseChanges += 1
        guard self.phase(of: policy, at: until).number != phase.number else { return "\(phase) goes on" }
        var then = context
        then.now.wall = until
        return agreement(of: policy, on: subject, in: then)
    }

    /// Returns the subject's phase at another date. Everything else stays the same.
    private func phase(of policy: some TablePolicy, at date: WallTime) -> RelaxationPhase {
        var then = context
        then.now.wall = date
        return policy.phase(of: subject, in: then)
    }

    /// Checks that a policy state lasts until its stated end as long as only time passes.
    private mutating func stateFault(of policy: some TablePolicy) -> String? {
        let stateKey = policy.stateKey(in: context)
        states.insert(stateKey.key)
        for later in generator.laterContexts(than: context, before: stateKey.until) {
            let next = policy.stateKey(in: later)
            if next.key != stateKey.key { return "\(stateKey) becomes \(next) at \(later.now)" }
        }
        guard let until = stateKey.until else { return nil }
        guard until > context.now.instant else { return "\(stateKey) has ended at \(context.now)" }
        var then = context
        then.now = then.now.advanced(by: context.now.instant.duration(to: until))
        guard then.now.instant == until else { return nil }
        if policy.stateKey(in: then).key != stateKey.key { stateChanges += 1 }
        return agreement(of: policy, on: subject, in: then)
    }

    /// Checks that a similar transfer gets the same verdict in each phase, in a context with the same values and policy
    /// state.
    private mutating func likeness(of policy: some TablePolicy) -> String? {
        let other = generator.another(like: subject)
        var elsewhere = generator.context()
        let (before, key) = (context.conditions, policy.stateKey(in: context).key)
        elsewhere.conditions = generator.sameValues(as: before, at: elsewhere.now)
        let isSameState = policy.stateKey(in: elsewhere).key == key
        if !isSameState { elsewhere = context }
        for phase in 0..<policy.table(of: subject, in: context).phaseCount {
            let here = Self.answer(of: policy, atPhase: phase, for: subject, in: context)
            let there = Self.answer(of: policy, atPhase: phase, for: other, in: elsewhere)
            if here != there { return "stage \(phase) says \(here), and \(there) of\n\(other) in\n\(elsewhere)" }
        }
        return nil
    }

    /// Checks that a policy that names no ends of runs gives none.
    private func end(of policy: some TablePolicy) -> String? {
        guard !policy.mayEndRunsByTime(after: context.history) else { return nil }
        var running = subject
        running.isRunning = true
        running.start = PolicySubject.Start(
            date: context.now.wall, bytesDone: running.bytesDone, rate: running.rate)
        guard case .run(_, let end?) = policy.verdict(for: running, in: context) else { return nil }
        return "it may run until \(end)"
    }

    /// Checks that the transfer's own verdict does not change while neither the phase nor the policy state changes.
    private mutating func quiet(of policy: some TablePolicy) -> String? {
        let answer = Permission(policy.verdict(for: subject, in: context))
        let phase = policy.phase(of: subject, in: context)
        for later in generator.laterContexts(than: context, before: policy.stateKey(in: context).until) {
            if let until = phase.until, later.now.wall >= until { continue }
            let next = Permission(policy.verdict(for: subject, in: later))
            if next != answer { return "\(answer) becomes \(next) at \(later.now) by time alone" }
        }
        return nil
    }
}

extension TablePolicy {
    fileprivate func table(of subject: PolicySubject, in context: PolicyContext) -> PolicyTable {
        table(for: subject.traits, after: context.history) ?? PolicyTable()
    }

    fileprivate func phase(of subject: PolicySubject, in context: PolicyContext) -> RelaxationPhase {
        table(of: subject, in: context).phase(of: subject, at: context.now.wall)
    }
}
