// SPDX-License-Identifier: Apache-2.0

import TransferModel
import TransferPolicy

/// Generates a subject and a context, and searches for a violation of the contract of staged policies.
struct PhaseExaminer: CustomStringConvertible {
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
    mutating func fault(of policy: some PhasedPolicy) -> String? {
        subject = generator.waitingSubject()
        context = generator.context()
        // In most cases, the transfer and the machine are from the same days.
        if generator.chance(80) { generator.bringNear(&context, to: subject) }
        return agreement(of: policy, on: subject, in: context) ?? phaseFault(of: policy) ?? stateFault(of: policy)
            ?? likeness(of: policy) ?? quiet(of: policy) ?? unison(of: policy) ?? newcomer(of: policy)
            ?? end(of: policy) ?? estimateFault(of: policy)
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
        of policy: some PhasedPolicy, atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext
    ) -> Permission {
        Permission(policy.verdict(atPhase: phase, for: subject, in: context))
    }

    /// Checks that the verdict for the transfer's phase equals the transfer's own verdict.
    private mutating func agreement(
        of policy: some PhasedPolicy, on subject: PolicySubject, in context: PolicyContext
    ) -> String? {
        let phase = policy.phase(of: subject, in: context).number
        let count = policy.phaseCount(withDeadline: subject.traits.constraints.deadline != nil)
        guard (0..<count).contains(phase) else { return "stage \(phase) of \(count)" }
        let staged = Self.answer(of: policy, atPhase: phase, for: subject, in: context)
        let single = Permission(policy.verdict(for: subject, in: context))
        if case .run = single { runs += 1 } else { waits += 1 }
        return staged == single ? nil : "stage \(phase) says \(staged), the transfer's own verdict \(single)"
    }

    /// Checks that a phase lasts until its stated end. Another phase then begins, in which both verdicts also agree.
    private mutating func phaseFault(of policy: some PhasedPolicy) -> String? {
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
    private func phase(of policy: some PhasedPolicy, at date: WallTime) -> RelaxationPhase {
        var then = context
        then.now.wall = date
        return policy.phase(of: subject, in: then)
    }

    /// Checks that a policy state lasts until its stated end as long as only time passes.
    private mutating func stateFault(of policy: some PhasedPolicy) -> String? {
        let stateKey = policy.stateKey(in: context)
        states.insert(stateKey.key)
        guard stateKey.key >> 48 == 0 else { return "\(stateKey) takes more than 48 bits" }
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
    private mutating func likeness(of policy: some PhasedPolicy) -> String? {
        let other = generator.another(like: subject)
        var elsewhere = generator.context()
        let (before, key) = (context.conditions, policy.stateKey(in: context).key)
        elsewhere.conditions = generator.sameValues(as: before, at: elsewhere.now)
        let isSameState = policy.stateKey(in: elsewhere).key == key
        if !isSameState { elsewhere = context }
        for phase in phases {
            let here = Self.answer(of: policy, atPhase: phase, for: subject, in: context)
            let there = Self.answer(of: policy, atPhase: phase, for: other, in: elsewhere)
            if here != there { return "stage \(phase) says \(here), and \(there) of\n\(other) in\n\(elsewhere)" }
        }
        return nil
    }

    /// Checks that a request for all phases gives the same results as single requests. Blocked phases remain blocked.
    private mutating func unison(of policy: some PhasedPolicy) -> String? {
        let count = policy.phaseCount(withDeadline: subject.traits.constraints.deadline != nil)
        let given = (0..<count).map { _ in generator.chance(80) ? RelevantFacts.connection : nil }
        var permissions = given
        policy.narrow(&permissions, for: subject, in: context)
        for phase in 0..<count {
            let verdict = policy.verdict(atPhase: phase, for: subject, in: context)
            let expected = given[phase].flatMap { facts in verdict.facts.map { facts.union($0) } }
            if permissions[phase] != expected {
                return "stage \(phase) of all says \(String(describing: permissions[phase]))"
            }
        }
        return nil
    }

    /// Checks that the phase of a new transfer follows from its traits alone.
    private func newcomer(of policy: some PhasedPolicy) -> String? {
        let traits = subject.traits
        let whole = PolicySubject(traits: traits, bytesTotal: traits.expectedBytesToReceive)
        let (new, known) = (
            policy.phase(ofNew: traits, in: context), policy.phase(of: whole, in: context)
        )
        return new == known ? nil : "\(new) of one that is new, and \(known)"
    }

    /// Checks that a policy that names no ends of runs gives none.
    private func end(of policy: some PhasedPolicy) -> String? {
        guard !policy.mayEndRunsByTime else { return nil }
        var running = subject
        running.isRunning = true
        running.start = PolicySubject.Start(
            date: context.now.wall, bytesDone: running.bytesDone, rate: running.rate)
        guard case .run(_, let end?) = policy.verdict(for: running, in: context) else { return nil }
        return "it may run until \(end)"
    }

    /// Checks that another estimate stops no running transfer if the policy says so.
    private mutating func estimateFault(of policy: some PhasedPolicy) -> String? {
        guard !policy.estimatesMayStopRuns(in: context) else { return nil }
        var running = subject
        running.isRunning = true
        running.start = PolicySubject.Start(
            date: context.now.wall, bytesDone: running.bytesDone, rate: running.rate)
        func runs(_ estimate: TransferEstimate?) -> Bool {
            running.estimate = estimate
            return Permission(policy.verdict(for: running, in: context)) != .wait
        }
        let now = runs(subject.estimate)
        for bytes: Int64 in [0, 1 << 20, 1 << 40] {
            let other = TransferEstimate(bytes: bytes, sizeBasis: .reported, rate: 1000, rateBasis: .connection)
            if runs(other) != now { return "another estimate changes whether a running transfer continues: \(other)" }
        }
        return nil
    }

    /// Checks that the transfer's own verdict does not change while neither the phase nor the policy state changes.
    private mutating func quiet(of policy: some PhasedPolicy) -> String? {
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
