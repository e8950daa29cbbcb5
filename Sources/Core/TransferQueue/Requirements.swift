// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The transfers with the same requirements, apart from dates. Sets with and without a deadline are separate, because
/// a policy's relaxation phases for a transfer depend on the deadline.
struct RequirementSet: Sendable {
    struct Key: Hashable, Sendable {
        var kind: WorkKind
        var isLoopback: Bool
        var hasDeadline: Bool
        /// The constraints without dates.
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
    /// The numbers of the set's classes by relaxation phase; `nowhere` for a class that does not exist yet.
    var classes: [Int32] = []
    /// The number of relaxation phases that the policy uses; 0 while the policy has not been asked.
    var phaseCount = 0

    /// Returns the traits that all members share.
    func traits(host: String = "", app: String = "", submitted: WallTime) -> TransferTraits {
        TransferTraits(
            kind: key.kind, constraints: key.constraints, host: host, app: app, isLoopback: key.isLoopback,
            submitted: submitted)
    }
}

/// An equivalence class: the transfers of a requirement set that have reached the same relaxation phase. A single
/// verdict decides whether they may run.
struct RequirementClass: Sendable {
    /// The phase of transfers that a policy without phases decides individually.
    static var individual: Int { 255 }

    let set: Int32
    let phase: Int
    /// Whether the set has a weekly window, and its transfers are not decided individually.
    let hasWindow: Bool
}

/// Numbers requirement sets and their classes. No number is ever removed: there are as many as different requirements
/// were seen.
struct Requirements: ~Copyable, Sendable {
    private(set) var sets = Slab<RequirementSet>()
    private(set) var classes: [RequirementClass] = []
    /// The classes of work whose starts are staggered after an outage.
    private(set) var staggered = BitSet()
    /// The classes of transfers with a deadline.
    private(set) var dated = BitSet()
    private var numbers: [RequirementSet.Key: Int32] = [:]
    /// The set that was requested last, because similar transfers often arrive in succession.
    private var last = Int32.nowhere

    /// Returns the index of a transfer's requirement set. Inserts the set if it is new.
    mutating func set(of traits: borrowing TransferTraits) -> Int32 {
        if last == .nowhere || !fits(sets[last], traits) {
            let key = RequirementSet.Key(traits)
            last = numbers[key] ?? sets.take(RequirementSet(key: key))
            numbers[key] = last
        }
        return last
    }

    /// Returns whether traits have the key of a set. Reads the key in place, because a copy would cost more than the
    /// comparison.
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

    /// Returns the class of a set in a relaxation phase.
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

    /// Returns the relaxation phase of a transfer, if the policy need not be asked. Creates the classes that the
    /// transfer may reach.
    @inline(__always)
    mutating func knownPhase(of number: Int32, _ assessment: Assessment) -> PolicyStage? {
        let set = sets[number]
        guard set.pointee.key.kind == .discretionary else { return PolicyStage() }
        guard assessment.isStaged else { return PolicyStage(RequirementClass.individual) }
        if set.pointee.phaseCount == 0 { makeClasses(of: number, for: assessment.stagedPolicy) }
        // A single phase is also the last phase, and time changes nothing.
        return set.pointee.phaseCount == 1 ? PolicyStage() : nil
    }

    private mutating func makeClasses(of number: Int32, for policy: any StagedPolicy) {
        let count = policy.stageCount(withDeadline: sets[number].pointee.key.hasDeadline)
        sets[number].pointee.phaseCount = min(max(1, count), RequirementClass.individual)
        for phase in 0..<sets[number].pointee.phaseCount { _ = classNumber(number, phase: phase) }
    }

    /// Returns a phase, limited to the phases of a set.
    @inline(__always)
    func held(_ phase: PolicyStage, to number: Int32) -> PolicyStage {
        PolicyStage(min(max(0, phase.number), sets[number].pointee.phaseCount - 1), until: phase.until)
    }

    /// Forgets the number of phases, because another policy may have other phases.
    mutating func forgetPhases() {
        for number in 0..<Int32(sets.count) { sets[number].pointee.phaseCount = 0 }
    }
}
