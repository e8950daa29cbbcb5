// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The transfers with the same requirements, dates apart. Whether there is a deadline is told apart, since the relaxation
/// phases that a policy has for a transfer depend on that.
struct RequirementSet: Sendable {
    struct Key: Hashable, Sendable {
        var kind: WorkKind
        var isLoopback: Bool
        var hasDeadline: Bool
        /// Without dates.
        var constraints: Constraints

        init(_ traits: borrowing TransferTraits) {
            kind = traits.kind
            isLoopback = traits.isLoopback
            hasDeadline = traits.constraints.deadline != nil
            constraints = traits.constraints
            constraints.deadline = nil
            constraints.notBefore = nil
        }
    }

    let key: Key
    /// The numbers of its classes by relaxation phase; `nowhere` for one that is not made.
    var classes: [Int32] = []
    /// The number of relaxation phases that the policy may ask for; 0 while it has not been asked.
    var phaseCount = 0

    /// The traits that all members share.
    func traits(host: String = "", app: String = "", submitted: WallTime) -> TransferTraits {
        TransferTraits(
            kind: key.kind, constraints: key.constraints, host: host, app: app, isLoopback: key.isLoopback,
            submitted: submitted)
    }
}

/// An equivalence class: the transfers of a requirement set that have come to the same relaxation phase. Whether they may
/// run is decided for all of them at once.
struct RequirementClass: Sendable {
    /// The phase that stands for transfers that a policy without phases is asked about one by one.
    static var individual: Int { 255 }

    let set: Int32
    let phase: Int
    /// Whether its set has a window of the week, and it is not asked about one by one.
    let hasWindow: Bool
}

/// Numbers requirement sets and their classes. None is ever removed: there are as many as different requirements were seen.
struct Requirements: ~Copyable, Sendable {
    private(set) var sets = Slab<RequirementSet>()
    private(set) var classes: [RequirementClass] = []
    /// The classes of work whose starts are staggered after an outage.
    private(set) var staggered = BitSet()
    /// The classes of transfers with a deadline.
    private(set) var dated = BitSet()
    private var numbers: [RequirementSet.Key: Int32] = [:]
    /// The set that was asked for last, since similar transfers often come one after the other.
    private var last = Int32.nowhere

    /// The requirement set of a transfer.
    mutating func set(of traits: borrowing TransferTraits) -> Int32 {
        if last == .nowhere || !fits(sets[last], traits) {
            let key = RequirementSet.Key(traits)
            last = numbers[key] ?? sets.take(RequirementSet(key: key))
            numbers[key] = last
        }
        return last
    }

    /// Whether traits have the key of a set. The key is read where it is: to copy it would cost more than the rest.
    @inline(__always)
    private func fits(_ set: UnsafeMutablePointer<RequirementSet>, _ traits: borrowing TransferTraits) -> Bool {
        guard set.pointee.key.kind == traits.kind, set.pointee.key.isLoopback == traits.isLoopback,
            set.pointee.key.hasDeadline == (traits.constraints.deadline != nil),
            set.pointee.key.constraints.power == traits.constraints.power,
            set.pointee.key.constraints.metered == traits.constraints.metered,
            set.pointee.key.constraints.linkKinds == traits.constraints.linkKinds,
            set.pointee.key.constraints.window == traits.constraints.window
        else { return false }
        return set.pointee.key.constraints.connection == traits.constraints.connection
    }

    @inline(__always)
    func set(ofClass number: Int32) -> UnsafeMutablePointer<RequirementSet> { sets[classes[Int(number)].set] }

    /// The class of a set in a relaxation phase.
    mutating func classNumber(_ number: Int32, phase: Int) -> Int32 {
        let set = sets[number]
        while set.pointee.classes.count <= phase { set.pointee.classes.append(.nowhere) }
        if set.pointee.classes[phase] != .nowhere { return set.pointee.classes[phase] }
        let key = set.pointee.key
        set.pointee.classes[phase] = Int32(classes.count)
        staggered.set(Int32(classes.count), StaggeredStart.applies(to: key.kind, isLoopback: key.isLoopback))
        dated.set(Int32(classes.count), key.hasDeadline)
        classes.append(
            RequirementClass(
                set: number, phase: phase,
                hasWindow: key.constraints.window != nil && phase != RequirementClass.individual))
        return set.pointee.classes[phase]
    }

    // MARK: Relaxation phases

    /// The relaxation phase of a transfer, if the policy need not be asked; makes the classes that it may come to.
    @inline(__always)
    mutating func knownPhase(of number: Int32, _ assessment: Assessment) -> PolicyStage? {
        let set = sets[number]
        guard set.pointee.key.kind == .discretionary else { return PolicyStage() }
        guard assessment.isStaged else { return PolicyStage(RequirementClass.individual) }
        if set.pointee.phaseCount == 0 { makeClasses(of: number, for: assessment.stagedPolicy) }
        // A single phase is the last, and time changes nothing.
        return set.pointee.phaseCount == 1 ? PolicyStage() : nil
    }

    private mutating func makeClasses(of number: Int32, for policy: any StagedPolicy) {
        let count = policy.stageCount(withDeadline: sets[number].pointee.key.hasDeadline)
        sets[number].pointee.phaseCount = min(max(1, count), RequirementClass.individual)
        for phase in 0..<sets[number].pointee.phaseCount { _ = classNumber(number, phase: phase) }
    }

    /// A phase as one of those that the set has.
    @inline(__always)
    func held(_ phase: PolicyStage, to number: Int32) -> PolicyStage {
        PolicyStage(min(max(0, phase.number), sets[number].pointee.phaseCount - 1), until: phase.until)
    }

    /// Another policy may have other phases.
    mutating func forgetPhases() {
        for number in 0..<Int32(sets.count) { sets[number].pointee.phaseCount = 0 }
    }
}
