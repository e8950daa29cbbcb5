// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// Which classes may run now, as far as conditions, windows and the policy go.
///
/// What a class is told follows from the conditions' values and the policy's mood, and both come back again and again:
/// the answers are kept as a row of bits for each pair. An event then costs one look-up and a few unions, however many
/// classes or transfers there are.
struct Availability: Sendable {
    /// The classes that may run.
    private(set) var classes: BitSet
    /// The classes that may once a condition has settled, or a window opens.
    private(set) var pending: BitSet
    /// When a condition has settled that others wait for; nil where none has to.
    private(set) var nextSettle: Instant?
    /// When a window opens or closes; nil where none does.
    private(set) var nextWindow: WallTime?
    /// When time alone may change the policy's mood.
    private(set) var nextMood: Instant?
    /// The same for transfers without a deadline.
    private(set) var nextMoodWithoutDeadline: Instant?

    private var capacity = 256
    private var rows: [RowKey: Int] = [:]
    /// For each row one set for each combination of facts relied on, and one for those that rely on nothing.
    private var sets: [RowSets] = []
    private var current = -1
    /// How many classes its row knows of; -1 where there is none.
    private var known = -1
    /// No mood changes and no condition has settled before.
    private var nextLook = Instant.distantFuture
    /// The row before that one: conditions often go back to what they were.
    private var previous = -1
    private var settleEnds = InlineArray<8, Instant>(repeating: Instant(nanoseconds: .min))
    private var closed: BitSet
    private var windows: [WindowState] = []
    /// The number of each class's window; none where it may run at any hour.
    private var windowNumbers: [Int32] = []
    private var localTime: LocalTimeRules?
    private var connectionNumbers: [String: Int] = [:]
    private var lastConnection: (name: String, number: Int)?
    private var connectionBefore: (name: String, number: Int)?
    private static let mostRows = 512
    /// Scratch: what a family is told, by stage.
    private var answers: [RelevantFacts?] = []

    private struct RowKey: Hashable {
        let signature: ConditionSignature
        let mood: UInt64
    }

    private struct RowSets: Sendable {
        let key: RowKey
        /// By the raw value of the facts relied on.
        var relying: [BitSet]
        var always: BitSet
        /// Which of these have members, a bit each.
        var filled: UInt8 = 0
        /// Whether another mood may change it while the conditions stay.
        var isMoody = false
        /// How many classes it knows of.
        var known = 0
    }

    private struct WindowState: Sendable {
        var isOpen: Bool
        var classes: [Int32] = []
        var change: WallTime?
    }

    init() {
        classes = BitSet(capacity: 256)
        pending = BitSet(capacity: 256)
        closed = BitSet(capacity: 256)
    }

    /// Whether ``classes`` and ``pending`` tell of a class: a new one has to be asked about first.
    @inline(__always)
    func knows(_ number: Int32) -> Bool { number < known }

    /// Forgets all answers: another policy gives them now.
    mutating func forget() {
        known = -1
        rows.removeAll()
        sets.removeAll()
        current = -1
        previous = -1
        nextMood = nil
        nextMoodWithoutDeadline = nil
    }

    /// Takes note of how things are; says whether what may run can have changed.
    // In line, since after most events nothing can.
    @inline(__always)
    mutating func refresh(
        _ assessment: Assessment, _ requirements: borrowing Requirements, _ changes: SchedulerChanges,
        isBackward: Bool
    ) -> Bool {
        let now = assessment.now
        if known == requirements.classes.count, now.instant < nextLook, nextWindow.map({ now.wall < $0 }) ?? true,
            !isBackward, !changes.contains(.conditions), !assessment.followsQueue || !assessment.isStaged
        {
            return false
        }
        return lookAgain(assessment, requirements, changes, isBackward: isBackward)
    }

    private mutating func lookAgain(
        _ assessment: Assessment, _ requirements: borrowing Requirements, _ changes: SchedulerChanges,
        isBackward: Bool
    ) -> Bool {
        let now = assessment.now
        let hasNewClasses = current < 0 || sets[current].known < requirements.classes.count
        let isMoodDue =
            nextMood.map { $0 <= now.instant } == true || (assessment.isStaged && assessment.followsQueue)
        let isSettleDue = nextSettle.map { $0 <= now.instant } == true
        let isWindowDue = isBackward || nextWindow.map { $0 <= now.wall } == true
        let areConditionsNew = current < 0 || isBackward || changes.contains(.conditions)
        guard areConditionsNew || isMoodDue || isSettleDue || isWindowDue || hasNewClasses else { return false }
        if requirements.classes.count > capacity { grow(to: requirements.classes.count) }
        if areConditionsNew || isMoodDue || hasNewClasses {
            chooseRow(assessment, requirements)
        }
        if areConditionsNew { settleEnds = assessment.settleEnds() }
        refreshWindows(assessment, requirements, isBackward: isBackward)
        collect(at: now.instant)
        known = sets[current].known
        nextLook = Verdict.earlier(nextMood, nextSettle) ?? .distantFuture
        return true
    }

    private mutating func grow(to count: Int) {
        while capacity < count { capacity *= 2 }
        classes.grow(to: capacity)
        pending.grow(to: capacity)
        closed.grow(to: capacity)
        forget()
    }

    private mutating func chooseRow(_ assessment: Assessment, _ requirements: borrowing Requirements) {
        let mood = assessment.isStaged ? assessment.stagedPolicy.mood(in: assessment.context) : PolicyMood()
        var connection = 0
        if let name = assessment.conditions.connection.value {
            if let last = lastConnection, last.name == name {
                connection = last.number
            } else if let before = connectionBefore, before.name == name {
                connection = before.number
            } else if let known = connectionNumbers[name] {
                connection = known
            } else {
                if connectionNumbers.count >= 60_000 {
                    connectionNumbers.removeAll()
                    lastConnection = nil
                    connectionBefore = nil
                    forget()
                }
                connection = connectionNumbers.count + 1
                connectionNumbers[name] = connection
            }
            if lastConnection?.number != connection {
                connectionBefore = lastConnection
                lastConnection = (name, connection)
            }
        }
        let key = RowKey(
            signature: ConditionSignature(assessment.conditions, connection: connection), mood: mood.key)
        chooseRow(key)
        nextMood = mood.until
        nextMoodWithoutDeadline = mood.untilWithoutDeadline
        decideNew(assessment, requirements)
    }

    private mutating func chooseRow(_ key: RowKey) {
        if current >= 0, sets[current].key == key { return }
        if previous >= 0, sets[previous].key == key { return swap(&current, &previous) }
        if let known = rows[key] {
            (previous, current) = (current, known)
            return
        }
        if sets.count >= Self.mostRows { forget() }
        (previous, current) = (current, sets.count)
        rows[key] = current
        let empty = BitSet(capacity: capacity)
        sets.append(RowSets(key: key, relying: Array(repeating: empty, count: 8), always: empty))
    }

    /// Decides about the classes that the current row does not know yet. What is said to a family is asked for all of its
    /// stages at once: they follow one another, and a battery that loses a percent asks anew.
    private mutating func decideNew(_ assessment: Assessment, _ requirements: borrowing Requirements) {
        var family = TransferRecord.none
        for number in sets[current].known..<requirements.classes.count {
            let stage = requirements.classes[number].stage
            // Asked about alone, its own verdict has been given before it came here.
            guard stage != RequirementClass.individual else {
                sets[current].always.insert(Int32(number))
                continue
            }
            if family != requirements.classes[number].family {
                family = requirements.classes[number].family
                let isMoody = assessment.answer(requirements.families[Int(family)], &answers)
                if isMoody { sets[current].isMoody = true }
            }
            guard let facts = answers[stage] else { continue }
            if requirements.families[Int(family)].traits.kind == .discretionary {
                sets[current].relying[Int(facts.rawValue & 7)].insert(Int32(number))
                sets[current].filled |= 1 << (facts.rawValue & 7)
            } else {
                sets[current].always.insert(Int32(number))
            }
        }
        sets[current].known = requirements.classes.count
    }

    /// Asks the windows that are new or have come to a change; all of them where the clock was set back or the zone is
    /// another one.
    private mutating func refreshWindows(
        _ assessment: Assessment, _ requirements: borrowing Requirements, isBackward: Bool
    ) {
        guard !requirements.windows.isEmpty else { return }
        let asksAll = isBackward || localTime != assessment.conditions.localTime
        localTime = assessment.conditions.localTime
        let known = windows.count
        while windows.count < requirements.windows.count { windows.append(WindowState(isOpen: false)) }
        noteWindows(of: requirements)
        nextWindow = nil
        for index in windows.indices {
            let isDue = windows[index].change.map { $0 <= assessment.now.wall } ?? false
            if asksAll || isDue || index >= known { ask(index, requirements.windows[index], assessment) }
            if let change = windows[index].change { nextWindow = min(nextWindow ?? change, change) }
        }
    }

    /// Finds the windows of classes that are new.
    private mutating func noteWindows(of requirements: borrowing Requirements) {
        for number in windowNumbers.count..<requirements.classes.count {
            let requirementClass = requirements.classes[number]
            let isAskedAlone = requirementClass.stage == RequirementClass.individual
            let window = requirements.families[Int(requirementClass.family)].window
            windowNumbers.append(isAskedAlone ? TransferRecord.none : window)
            guard window >= 0, !isAskedAlone else { continue }
            windows[Int(window)].classes.append(Int32(number))
            closed.set(Int32(number), !windows[Int(window)].isOpen)
        }
    }

    private mutating func ask(_ index: Int, _ window: WindowConstraint, _ assessment: Assessment) {
        let look: Instant?
        switch window.verdict(at: assessment.now, localTime: assessment.conditions.localTime) {
        case .run(_, let lookAgain):
            windows[index].isOpen = true
            look = lookAgain
        case .hold(_, let lookAgain):
            windows[index].isOpen = false
            look = lookAgain
        }
        windows[index].change = look.map(assessment.now.wall(at:))
        for number in windows[index].classes { closed.set(number, !windows[index].isOpen) }
    }

    private mutating func collect(at now: Instant) {
        classes.removeAll()
        pending.removeAll()
        classes.formUnion(sets[current].always)
        nextSettle = nil
        for facts in 0..<8 where sets[current].filled & 1 << UInt8(facts) != 0 {
            if settleEnds[facts] <= now {
                classes.formUnion(sets[current].relying[facts])
            } else {
                pending.formUnion(sets[current].relying[facts])
                nextSettle = Verdict.earlier(nextSettle, settleEnds[facts])
            }
        }
        if closed.intersects(classes) {
            pending.formUnion(classes)
            classes.subtract(closed)
            pending.subtract(classes)
        }
    }

    /// Whether time alone may change by the policy's mood what may run.
    var isMoody: Bool { current >= 0 && sets[current].isMoody }

    /// From when on time alone lets a pending class run: by each clock, both must have come. Nil where it never does.
    func opening(of number: Int32) -> Opening? {
        var opening = Opening()
        for facts in 0..<8 where sets[current].relying[facts].contains(number) {
            opening.boot = settleEnds[facts].nanoseconds
        }
        guard closed.contains(number) else { return opening }
        guard let change = windows[Int(windowNumbers[Int(number)])].change else { return nil }
        opening.wall = change.nanosecondsSinceEpoch
        return opening
    }
}

/// Two moments that must both have come, one on each clock.
struct Opening: Sendable {
    var boot = Int64.min
    var wall = Int64.min

    func instant(at now: Moment) -> Instant {
        let date = wall == .min ? now.instant : now.instant(of: WallTime(nanosecondsSinceEpoch: wall))
        return max(Instant(nanoseconds: boot), date)
    }
}
