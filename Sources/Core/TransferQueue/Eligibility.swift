// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The equivalence classes that may run now.
///
/// The verdict on a class follows from the conditions' values and the policy state key. Both return to earlier values
/// again and again, so the verdicts on all classes are kept for each such pair. An event then costs a lookup and a
/// pass over the classes, however many transfers there are.
struct Eligibility: Sendable {
    /// The classes that may run.
    private(set) var open = BitSet()
    /// The classes that may run once a condition has settled or a window opens.
    private(set) var pending = BitSet()
    /// The opening of each requirement set: the first time at which one of its classes may run. `nil` if time alone
    /// never lets a class run.
    private(set) var openings: [Opening?] = []
    /// The policy's state: its key, and the time until which it lasts.
    private(set) var state = PolicyMood()
    /// Whether another policy state may change a verdict under the same conditions.
    var dependsOnState: Bool { verdicts.dependsOnState }

    /// The time at which the first condition settles that classes wait for.
    private var nextSettle: Instant?
    /// The time at which the first window opens or closes.
    private var nextWindow: WallTime?
    private var settleEnds = InlineArray<8, Instant>(repeating: Instant(nanoseconds: .min))
    private var localTime: LocalTimeRules?
    /// The windows by requirement set; `nil` for sets without a window.
    private var windows: [Window?] = []
    private var key: Key?
    /// Whether the current policy has given verdicts. A comparison of ``key`` with `nil` would copy the key.
    private var isDecided = false
    private var verdicts = Verdicts()
    private var memory: [Key: Verdicts] = [:]
    private static let mostKeys = 512
    /// A scratch buffer for the verdicts on a set, by relaxation phase.
    private var answers: [RelevantFacts?] = []

    private struct Key: Hashable {
        let conditions: ConditionSignature
        let state: UInt64
    }

    private struct Verdicts: Sendable {
        /// The raw value of the facts that a verdict to run relies on, or `hold`, by class.
        var facts: [UInt8] = []
        var dependsOnState = false
        static let hold = UInt8.max
    }

    private struct Window: Sendable {
        var isOpen: Bool
        var change: WallTime?
    }

    /// Returns whether ``open`` covers a class. A new class needs a decision first.
    @inline(__always)
    func knows(_ number: Int32) -> Bool { number < verdicts.facts.count }

    /// Forgets all verdicts, because another policy decides from now on.
    mutating func forget() {
        (key, isDecided) = (nil, false)
        memory.removeAll()
        verdicts = Verdicts()
        (open, pending) = (BitSet(), BitSet())
    }

    /// Decides again if anything that the verdicts follow from may have changed.
    // Inlined, because after most events nothing has changed.
    @inline(__always)
    mutating func refresh(
        _ assessment: Assessment, _ requirements: borrowing Requirements, areConditionsNew: Bool, isBackward: Bool
    ) {
        let now = assessment.now
        let isNew = !isDecided || areConditionsNew || isBackward
        let isStateDue =
            state.until.map { $0 <= now.instant } == true || (assessment.isStaged && assessment.followsQueue)
        guard
            isNew || isStateDue || nextSettle.map({ $0 <= now.instant }) == true
                || nextWindow.map({ $0 <= now.wall }) == true || verdicts.facts.count < requirements.classes.count
        else { return }
        decide(assessment, requirements, isNew: isNew, isStateDue: isStateDue, isBackward: isBackward)
    }

    private mutating func decide(
        _ assessment: Assessment, _ requirements: borrowing Requirements, isNew: Bool, isStateDue: Bool,
        isBackward: Bool
    ) {
        if isNew || isStateDue {
            state = assessment.isStaged ? assessment.stagedPolicy.mood(in: assessment.context) : PolicyMood()
            let conditions = assessment.conditions
            let key = Key(
                conditions: ConditionSignature(conditions, connection: conditions.connection.value), state: state.key)
            if key != self.key { verdicts = memory[key] ?? Verdicts() }
            (self.key, isDecided) = (key, true)
        }
        if verdicts.facts.count < requirements.classes.count { decideNew(assessment, requirements) }
        if isNew { settleEnds = assessment.hysteresis.starts(under: assessment.conditions) }
        refreshWindows(assessment, requirements, isBackward: isBackward)
        collect(at: assessment.now.instant, requirements)
    }

    /// Asks for verdicts on the classes that ``verdicts`` lacks. All phases of a set are asked about at once:
    /// transfers pass through them in turn, and each percent of battery level asks anew.
    private mutating func decideNew(_ assessment: Assessment, _ requirements: borrowing Requirements) {
        var asked = Int32.nowhere
        for number in verdicts.facts.count..<requirements.classes.count {
            let requirementClass = requirements.classes[number]
            // A transfer that the policy decides individually has its own verdict before it becomes ready.
            guard requirementClass.phase != RequirementClass.individual else {
                verdicts.facts.append(0)
                continue
            }
            let set = requirements.sets[requirementClass.set]
            if asked != requirementClass.set {
                asked = requirementClass.set
                let dependsOnState = assessment.answer(set.pointee, &answers)
                if dependsOnState { verdicts.dependsOnState = true }
            }
            let facts = answers[requirementClass.phase]?.rawValue
            verdicts.facts.append(
                facts.map { set.pointee.key.kind == .discretionary ? $0 & 7 : 0 } ?? Verdicts.hold)
        }
        if memory.count >= Self.mostKeys { memory.removeAll() }
        if let key { memory[key] = verdicts }
    }

    /// Evaluates the windows that are new or due for a change. Evaluates all windows if the clock was set back or the
    /// time zone changed.
    private mutating func refreshWindows(
        _ assessment: Assessment, _ requirements: borrowing Requirements, isBackward: Bool
    ) {
        let asksAll = isBackward || localTime != assessment.conditions.localTime
        localTime = assessment.conditions.localTime
        nextWindow = nil
        for number in 0..<requirements.sets.count {
            let isNew = number >= windows.count
            if isNew { windows.append(nil) }
            guard let window = requirements.sets[Int32(number)].pointee.key.constraints.window else { continue }
            let isDue = windows[number]?.change.map { $0 <= assessment.now.wall } ?? false
            if isNew || asksAll || isDue {
                let verdict = window.verdict(at: assessment.now, localTime: assessment.conditions.localTime)
                windows[number] = Window(
                    isOpen: verdict.facts != nil, change: verdict.lookAgain.map(assessment.now.wall(at:)))
            }
            if let change = windows[number]?.change { nextWindow = min(nextWindow ?? change, change) }
        }
    }

    private mutating func collect(at now: Instant, _ requirements: borrowing Requirements) {
        nextSettle = nil
        for set in openings.indices { openings[set] = nil }
        while openings.count < requirements.sets.count { openings.append(nil) }
        for start in stride(from: 0, to: verdicts.facts.count, by: 64) {
            var (openBits, pendingBits) = (UInt64(0), UInt64(0))
            for number in start..<min(start + 64, verdicts.facts.count) where verdicts.facts[number] != Verdicts.hold {
                let requirementClass = requirements.classes[number]
                let set = Int(requirementClass.set)
                let settled = settleEnds[Int(verdicts.facts[number])]
                if settled > now { nextSettle = Verdict.earlier(nextSettle, settled) }
                if settled <= now, !requirementClass.hasWindow || windows[set]?.isOpen != false {
                    openBits |= 1 << UInt64(number & 63)
                    if openings[set]?.isNow != true { openings[set] = Opening() }
                } else {
                    pendingBits |= 1 << UInt64(number & 63)
                    openings[set] = openings[set] ?? opening(of: Int32(number), requirements)
                }
            }
            open.setWord(start >> 6, openBits)
            pending.setWord(start >> 6, pendingBits)
        }
    }

    /// Returns the opening of a pending class, which requires a time on each clock. Returns `nil` if time alone never
    /// lets the class run.
    @inline(__always)
    func opening(of number: Int32, _ requirements: borrowing Requirements) -> Opening? {
        let requirementClass = requirements.classes[Int(number)]
        var opening = Opening(boot: settleEnds[Int(verdicts.facts[Int(number)])].nanoseconds)
        if requirementClass.hasWindow, let window = windows[Int(requirementClass.set)], !window.isOpen {
            guard let change = window.change else { return nil }
            opening.wall = change.nanosecondsSinceEpoch
        }
        return opening
    }
}

/// Two times, one on each clock, that must both have come.
struct Opening: Sendable {
    var boot = Int64.min
    var wall = Int64.min

    var isNow: Bool { boot == .min && wall == .min }

    func instant(at now: Moment) -> Instant {
        let date = wall == .min ? now.instant : now.instant(of: WallTime(nanosecondsSinceEpoch: wall))
        return max(Instant(nanoseconds: boot), date)
    }
}

extension Verdict {
    fileprivate var lookAgain: Instant? {
        switch self {
        case .run(_, let look), .hold(_, let look): look
        }
    }
}

extension Assessment {
    /// Computes the verdicts that conditions and, for discretionary work, the policy give to all members of a set,
    /// without dates and windows. By relaxation phase, an answer is the facts that a verdict to run relies on, or
    /// `nil` for a hold.
    ///
    /// - Returns: Whether another policy state may change the verdicts under the same conditions.
    fileprivate func answer(_ set: borrowing RequirementSet, _ answers: inout [RelevantFacts?]) -> Bool {
        let verdict = conditionsVerdict(set.key.constraints, isLoopback: set.key.isLoopback)
        let facts = verdict.facts
        answers.removeAll(keepingCapacity: true)
        // A phase that no transfer can be in is not asked about.
        for phase in set.classes.indices where phase != RequirementClass.individual {
            answers.append(set.classes[phase] >= 0 ? facts : nil)
        }
        // If conditions hold the set back, the policy cannot let it run.
        guard facts != nil, set.key.kind == .discretionary, isStaged else { return false }
        var subject = PolicySubject(traits: set.traits(submitted: now.wall))
        subject.traits.constraints.window = nil
        stagedPolicy.narrow(&answers, for: subject, in: context)
        return stagedPolicy.moodMatters(to: subject, in: context)
    }
}
