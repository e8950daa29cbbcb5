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
        /// The policy that the transfers name.
        var policy: String?
        /// The constraints without dates.
        var constraints: Constraints

        init(_ traits: borrowing TransferTraits) {
            kind = traits.kind
            isLoopback = traits.isLoopback
            hasDeadline = traits.constraints.deadline != nil
            policy = traits.policy
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
    /// The way in which the policy decides about the members; `nil` until the first member needs it.
    var rows: Rows?

    /// The ways in which a policy decides about the members of a set.
    enum Rows: Sendable {
        case individual
        case table(PolicyTable)
    }

    init(key: Key) {
        self.key = key
        isTimed = key.constraints.isTimed
    }

    /// Returns the way in which the policy decides about the members, with the rows that they can reach.
    func rows(of evaluator: PolicyEvaluator) -> Rows {
        var traits = traits(submitted: evaluator.now.wall)
        // Of the deadline, only its presence counts, because the members of a set have different deadlines.
        if key.hasDeadline { traits.constraints.deadline = DeadlineConstraint(evaluator.now.wall) }
        guard let tables = evaluator.tablePolicy,
            var table = tables.table(for: traits, after: evaluator.context.history)
        else { return .individual }
        if !key.hasDeadline {
            table.power = Array(table.power.prefix(1))
            table.network = Array(table.network.prefix(1))
        }
        return .table(table)
    }

    /// Returns the traits that all members share.
    func traits(host: String = "", app: String = "", submitted: WallTime) -> TransferTraits {
        var traits = TransferTraits(
            kind: key.kind, constraints: key.constraints, host: host, app: app, isLoopback: key.isLoopback,
            submitted: submitted)
        traits.policy = key.policy
        return traits
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
    private var numbers: [RequirementSet.Key: Int32] = [:]
    /// The set that was requested last, because similar transfers often arrive in succession.
    private var last = Int32.noIndex

    /// Returns the index of a transfer's requirement set. Inserts the set if it is new.
    mutating func set(of traits: borrowing TransferTraits) -> Int32 {
        let key = RequirementSet.Key(traits)
        guard last == .noIndex || sets[last].pointee.key != key else { return last }
        last = numbers[key] ?? sets.insert(RequirementSet(key: key))
        numbers[key] = last
        return last
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
        if set.pointee.rows == nil { makeClasses(of: number, evaluator) }
        guard case .table(let table) = set.pointee.rows else { return RelaxationPhase(RequirementClass.individual) }
        // A single phase is also the last phase, and time changes nothing.
        return table.phaseCount == 1 ? RelaxationPhase() : nil
    }

    /// Returns the relaxation phase of a transfer whose set has several.
    @inline(__always)
    func phase(of subject: PolicySubject, inSet number: Int32, at now: WallTime) -> RelaxationPhase {
        guard case .table(let table) = sets[number].pointee.rows else { return RelaxationPhase() }
        return table.phase(of: subject, at: now)
    }

    private mutating func makeClasses(of number: Int32, _ evaluator: PolicyEvaluator) {
        let rows = sets[number].pointee.rows(of: evaluator)
        sets[number].pointee.rows = rows
        guard case .table(let table) = rows else { return }
        for phase in 0..<table.phaseCount { _ = classNumber(number, phase: phase) }
    }

    /// Forgets the tables, because another policy has others, or their rows begin at other dates.
    mutating func forgetTables() {
        for number in 0..<Int32(sets.count) { sets[number].pointee.rows = nil }
    }
}
