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
    /// A Boolean value that indicates whether the set has a weekly window or a price limit.
    let isTimed: Bool
    /// The numbers of the set's classes by relaxation phase; `noIndex` for a class that does not exist yet.
    var classes: [Int32] = []
    /// The number of relaxation phases that the policy uses; 0 until the policy reports it.
    var phaseCount = 0

    init(key: Key) {
        self.key = key
        isTimed = key.constraints.isTimed
    }

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
    /// A Boolean value that indicates whether the set has a weekly window or a price limit, and its transfers are not
    /// decided individually.
    let isTimed: Bool
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
    private var last = Int32.noIndex

    /// Returns the index of a transfer's requirement set. Inserts the set if it is new.
    mutating func set(of traits: borrowing TransferTraits) -> Int32 {
        if last == .noIndex || !fits(sets[last], traits) {
            let key = RequirementSet.Key(traits)
            last = numbers[key] ?? sets.insert(RequirementSet(key: key))
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
            set.pointee.key.constraints.window == traits.constraints.window,
            set.pointee.key.constraints.price == traits.constraints.price,
            set.pointee.key.constraints.patience == traits.constraints.patience,
            set.pointee.key.constraints.custom == traits.constraints.custom
        else { return false }
        return set.pointee.key.constraints.connection == traits.constraints.connection
    }

    @inline(__always)
    func set(ofClass number: Int32) -> UnsafeMutablePointer<RequirementSet> { sets[classes[Int(number)].set] }

    /// Returns the class of a set in a relaxation phase.
    mutating func classNumber(_ number: Int32, phase: Int) -> Int32 {
        let set = sets[number]
        while set.pointee.classes.count <= phase { set.pointee.classes.append(.noIndex) }
        if set.pointee.classes[phase] != .noIndex { return set.pointee.classes[phase] }
        let key = set.pointee.key
        set.pointee.classes[phase] = Int32(classes.count)
        staggered.set(Int32(classes.count), StaggeringRule.applies(to: key.kind, isLoopback: key.isLoopback))
        dated.set(Int32(classes.count), key.hasDeadline)
        classes.append(
            RequirementClass(
                set: number, phase: phase,
                isTimed: set.pointee.isTimed && phase != RequirementClass.individual))
        return set.pointee.classes[phase]
    }

    // MARK: Relaxation phases

    /// Returns the relaxation phase of a transfer if it is known without the policy. Creates the classes that the
    /// transfer may reach.
    @inline(__always)
    mutating func knownPhase(of number: Int32, _ evaluator: PolicyEvaluator) -> RelaxationPhase? {
        let set = sets[number]
        guard set.pointee.key.kind == .discretionary else { return RelaxationPhase() }
        guard evaluator.isPhased else { return RelaxationPhase(RequirementClass.individual) }
        if set.pointee.phaseCount == 0 { makeClasses(of: number, for: evaluator.phasedPolicy) }
        // A single phase is also the last phase, and time changes nothing.
        return set.pointee.phaseCount == 1 ? RelaxationPhase() : nil
    }

    private mutating func makeClasses(of number: Int32, for policy: any PhasedPolicy) {
        let count = policy.phaseCount(withDeadline: sets[number].pointee.key.hasDeadline)
        sets[number].pointee.phaseCount = min(max(1, count), RequirementClass.individual)
        for phase in 0..<sets[number].pointee.phaseCount { _ = classNumber(number, phase: phase) }
    }

    /// Returns a phase, limited to the phases of a set.
    @inline(__always)
    func clamped(_ phase: RelaxationPhase, to number: Int32) -> RelaxationPhase {
        RelaxationPhase(min(max(0, phase.number), sets[number].pointee.phaseCount - 1), until: phase.until)
    }

    /// Forgets the number of phases, because another policy may have other phases.
    mutating func forgetPhases() {
        for number in 0..<Int32(sets.count) { sets[number].pointee.phaseCount = 0 }
    }
}
