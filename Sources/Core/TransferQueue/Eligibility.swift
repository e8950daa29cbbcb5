// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The equivalence classes that may run now.
///
/// The verdict on a class follows from the conditions' values and the policy state key. Both return to earlier values
/// again and again, so the verdicts on all classes are kept for each such pair. An event then costs a lookup and a pass
/// over the classes, regardless of the number of transfers.
struct Eligibility: Sendable {
    /// The classes that may run.
    private(set) var open = BitSet()
    /// The classes that may run after a debounce has ended, a window opens, or the price falls.
    private(set) var pending = BitSet()
    /// The opening of each requirement set: the first time at which one of its classes may run; `nil` if time alone
    /// never lets a class run.
    private(set) var openings: [Opening?] = []
    /// The policy's state: its key, and the time until which it lasts.
    private(set) var state = PolicyStateKey()
    /// A Boolean value that indicates whether another policy state may change a verdict under the same conditions.
    var dependsOnState: Bool { verdicts.dependsOnState }

    /// The time at which the first debounce ends that classes wait for.
    private var nextDebounceEnd: Instant?
    /// The first time at which a window or a price limit lets transfers run, or no longer does.
    private var nextSchedule: WallTime?
    private var debounceEnds = InlineArray<8, Instant>(repeating: Instant(nanoseconds: .min))
    private var localTime: LocalTimeRules?
    private var prices: PriceCurve?
    /// The states of windows and price limits by requirement set; `nil` for sets without either.
    private var schedules: [Schedule?] = []
    private var key: Key?
    /// A Boolean value that indicates whether the current policy has given verdicts. A comparison of ``key`` with `nil`
    /// would copy the key.
    private var isDecided = false
    private var verdicts = Verdicts()
    private var verdictCache: [Key: Verdicts] = [:]
    private static let mostKeys = 512
    /// A scratch buffer for the verdicts on a set, by relaxation phase.
    private var permissions: [RelevantFacts?] = []

    private struct Key: Hashable {
        let conditions: ConditionSignature
        let state: UInt64
    }

    private struct Verdicts: Sendable {
        /// The raw value of the facts that permission to run relies on, or `wait` for a wait, by class.
        var facts: [UInt8] = []
        var dependsOnState = false
        static let wait = UInt8.max
    }

    private struct Schedule: Sendable {
        var isOpen: Bool
        var change: WallTime?
    }

    /// Forgets all verdicts, because another policy decides from now on.
    mutating func forget() {
        (key, isDecided) = (nil, false)
        verdictCache.removeAll()
        verdicts = Verdicts()
        (open, pending) = (BitSet(), BitSet())
    }

    /// Decides again if anything that the verdicts follow from may have changed.
    // Inlined, because after most events nothing has changed.
    @inline(__always)
    mutating func refresh(
        _ evaluator: PolicyEvaluator, _ requirements: borrowing Requirements, areConditionsNew: Bool, isBackward: Bool
    ) {
        let now = evaluator.now
        let isNew = !isDecided || areConditionsNew || isBackward
        let isStateDue = state.until.map { $0 <= now.instant } == true
        guard
            isNew || isStateDue || nextDebounceEnd.map({ $0 <= now.instant }) == true
                || nextSchedule.map({ $0 <= now.wall }) == true || verdicts.facts.count < requirements.classes.count
        else { return }
        decide(evaluator, requirements, isNew: isNew, isStateDue: isStateDue, isBackward: isBackward)
    }

    private mutating func decide(
        _ evaluator: PolicyEvaluator, _ requirements: borrowing Requirements, isNew: Bool, isStateDue: Bool,
        isBackward: Bool
    ) {
        if isNew || isStateDue {
            state = evaluator.tablePolicy?.stateKey(in: evaluator.context) ?? PolicyStateKey()
            let conditions = evaluator.conditions
            let key = Key(
                conditions: ConditionSignature(conditions, connection: conditions.connection.value), state: state.key)
            if key != self.key { verdicts = verdictCache[key] ?? Verdicts() }
            (self.key, isDecided) = (key, true)
        }
        if verdicts.facts.count < requirements.classes.count { decideNew(evaluator, requirements) }
        if isNew { debounceEnds = evaluator.hysteresis.starts(under: evaluator.conditions) }
        refreshSchedules(evaluator, requirements, isBackward: isBackward)
        collect(at: evaluator.now.instant, requirements)
    }

    /// Computes the verdicts on the classes that ``verdicts`` lacks. All phases of a set are evaluated together,
    /// because transfers pass through them in turn.
    private mutating func decideNew(_ evaluator: PolicyEvaluator, _ requirements: borrowing Requirements) {
        var evaluatedSet = Int32.noIndex
        for number in verdicts.facts.count..<requirements.classes.count {
            let requirementClass = requirements.classes[number]
            // A transfer that the policy decides individually has its own verdict before it becomes ready.
            guard requirementClass.phase != RequirementClass.individual else {
                verdicts.facts.append(0)
                continue
            }
            let set = requirements.sets[requirementClass.set]
            if evaluatedSet != requirementClass.set {
                evaluatedSet = requirementClass.set
                let dependsOnState = evaluator.evaluate(set.pointee, &permissions)
                if dependsOnState { verdicts.dependsOnState = true }
            }
            let facts = permissions[requirementClass.phase]?.rawValue
            verdicts.facts.append(
                facts.map { set.pointee.key.kind == .discretionary ? $0 & 7 : 0 } ?? Verdicts.wait)
        }
        if verdictCache.count >= Self.mostKeys { verdictCache.removeAll() }
        if let key { verdictCache[key] = verdicts }
    }

    /// Evaluates the windows and price limits that are new or due for a change. Evaluates all of them if the clock was
    /// set back, or if the time zone or the price curve changed.
    private mutating func refreshSchedules(
        _ evaluator: PolicyEvaluator, _ requirements: borrowing Requirements, isBackward: Bool
    ) {
        let conditions = evaluator.conditions
        let evaluatesAll = isBackward || localTime != conditions.localTime || prices != conditions.priceCurve.value
        (localTime, prices) = (conditions.localTime, conditions.priceCurve.value)
        nextSchedule = nil
        for number in 0..<requirements.sets.count {
            let isNew = number >= schedules.count
            if isNew { schedules.append(nil) }
            guard requirements.sets[Int32(number)].pointee.isTimed else { continue }
            let isDue = schedules[number]?.change.map { $0 <= evaluator.now.wall } ?? false
            if isNew || evaluatesAll || isDue {
                let constraints = requirements.sets[Int32(number)].pointee.key.constraints
                let (isOpen, change) = constraints.schedule(at: evaluator.now, under: conditions)
                schedules[number] = Schedule(isOpen: isOpen, change: change)
            }
            if let change = schedules[number]?.change { nextSchedule = min(nextSchedule ?? change, change) }
        }
    }

    private mutating func collect(at now: Instant, _ requirements: borrowing Requirements) {
        nextDebounceEnd = nil
        for set in openings.indices { openings[set] = nil }
        while openings.count < requirements.sets.count { openings.append(nil) }
        for start in stride(from: 0, to: verdicts.facts.count, by: 64) {
            var (openBits, pendingBits) = (UInt64(0), UInt64(0))
            for number in start..<min(start + 64, verdicts.facts.count) where verdicts.facts[number] != Verdicts.wait {
                let requirementClass = requirements.classes[number]
                let set = Int(requirementClass.set)
                let debounceEnd = debounceEnds[Int(verdicts.facts[number])]
                if debounceEnd > now { nextDebounceEnd = Verdict.earlier(nextDebounceEnd, debounceEnd) }
                if debounceEnd <= now, !requirementClass.isTimed || schedules[set]?.isOpen != false {
                    openBits |= 1 << UInt64(number & 63)
                    if openings[set]?.isNow != true { openings[set] = Opening() }
                } else {
                    pendingBits |= 1 << UInt64(number & 63)
                    // The classes of a set rely on different facts, and so wait for different debounces.
                    if let opening = opening(of: Int32(number), requirements),
                        openings[set].map({ opening.boot < $0.boot }) ?? true
                    {
                        openings[set] = opening
                    }
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
        var opening = Opening(boot: debounceEnds[Int(verdicts.facts[Int(number)])].nanoseconds)
        if requirementClass.isTimed, let schedule = schedules[Int(requirementClass.set)], !schedule.isOpen {
            guard let change = schedule.change else { return nil }
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

    func instant(at now: ClockReading) -> Instant {
        let date = wall == .min ? now.instant : now.instant(of: WallTime(nanosecondsSinceEpoch: wall))
        return max(Instant(nanoseconds: boot), date)
    }
}

extension PolicyEvaluator {
    /// Computes the verdicts that conditions and, for discretionary work, the policy give to all members of a set,
    /// without dates and windows. The result of each relaxation phase is the facts that permission to run relies on, or
    /// `nil` for a wait.
    ///
    /// - Returns: Whether another policy state may change the verdicts under the same conditions.
    fileprivate func evaluate(_ set: borrowing RequirementSet, _ permissions: inout [RelevantFacts?]) -> Bool {
        let verdict = conditionsVerdict(set.key.constraints, isLoopback: set.key.isLoopback)
        let facts = verdict.facts
        permissions.removeAll(keepingCapacity: true)
        // If conditions block the set, the policy cannot let it run.
        guard let facts, set.key.kind == .discretionary, case .table(let table) = set.rows ?? set.rows(of: self) else {
            permissions.append(contentsOf: repeatElement(facts, count: set.classes.count))
            return false
        }
        let traits = set.traits(submitted: now.wall)
        func rows(of table: PolicyTable) -> [RelevantFacts?] {
            table.permissions(for: traits, in: context)
        }
        for permission in rows(of: table) { permissions.append(permission.map { facts.union($0) }) }
        // Classes of a former policy with more phases have no members.
        while permissions.count < set.classes.count { permissions.append(nil) }
        return table.longestWait != nil && rows(of: PolicyTable(network: table.network)).contains { $0 != nil }
    }
}
