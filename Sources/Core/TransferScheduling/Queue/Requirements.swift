// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The transfers that ask for the same: all that the conditions' verdict on them follows from, apart from their dates.
///
/// Whether they have deadlines is told apart too, since what a policy may come to allow with time hangs on that.
struct Family: Sendable {
    let key: Requirements.PackedRequirement
    /// What they have in common; without names, dates and windows.
    let traits: TransferTraits
    let hasDeadline: Bool
    let windowConstraint: WindowConstraint?
    /// The number of its window; none where it may run at any hour.
    var window: Int32 { key.window }
    /// Its classes by stage.
    var classes: [Int32] = []
    /// How many of these the policy may ask for; 0 while it has not been asked.
    var stageCount = 0
}

/// The members of a family that are in the same stage: what may run is decided for all of them at once.
struct RequirementClass: Sendable {
    /// Stands for transfers that a policy without stages is asked about one by one.
    static var individual: Int { 255 }

    let family: Int32
    let stage: Int
}

/// Numbers families and their classes. None is ever given up: there are as many as different wishes were seen.
struct Requirements: ~Copyable, Sendable {
    private(set) var families: [Family] = []
    private(set) var classes: [RequirementClass] = []
    private var index = NumberIndex()
    private var windowNumbers: [WindowConstraint: Int32] = [:]
    private(set) var windows: [WindowConstraint] = []
    private var connectionNumbers: [ConnectionConstraint: Int32] = [:]

    /// A requirement in 16 bytes, so that looking it up takes no walk through its parts.
    struct PackedRequirement: Hashable, Sendable {
        var flags: UInt64
        var connection: Int32
        var window: Int32

        /// Whether the server is on this machine.
        var isLoopback: Bool { flags & 4 != 0 }
        var kind: WorkKind { flags & 2 != 0 ? .discretionary : flags & 1 != 0 ? .normal : .userInitiated }

        /// Most differ in their flags.
        var hash: UInt64 {
            flags ^ UInt64(UInt32(bitPattern: connection)) << 24 ^ UInt64(UInt32(bitPattern: window)) << 4
        }
    }

    /// The family of a transfer.
    mutating func family(of traits: borrowing TransferTraits) -> Int32 {
        var window = TransferRecord.none
        if let constraint = traits.constraints.window {
            window = windowNumbers[constraint] ?? addWindow(constraint)
        }
        var connection = TransferRecord.none
        if !traits.constraints.connection.isAny {
            connection = connectionNumbers[traits.constraints.connection] ?? Int32(connectionNumbers.count)
            connectionNumbers[traits.constraints.connection] = connection
        }
        let key = PackedRequirement(flags: Self.flags(of: traits), connection: connection, window: window)
        return index.find(key.hash) { families[Int($0)].key == key } ?? add(key, traits)
    }

    @inline(__always)
    func key(of family: Int32) -> PackedRequirement { families[Int(family)].key }

    private static func flags(of traits: borrowing TransferTraits) -> UInt64 {
        var flags: UInt64 = traits.isLoopback ? 4 : 0
        if traits.constraints.deadline != nil { flags |= 32 }
        switch traits.kind {
        case .userInitiated: break
        case .normal: flags |= 1
        case .discretionary: flags |= 2
        }
        switch traits.constraints.metered {
        case .unstated: break
        case .allowed: flags |= 8
        case .unmetered: flags |= 16
        }
        switch traits.constraints.power {
        case .any: break
        case .ac: flags |= 1 << 8
        case .acOrBattery(let level): flags |= 2 << 8 | UInt64(UInt32(bitPattern: Int32(clamping: level))) << 16
        }
        if case .only(let kinds) = traits.constraints.linkKinds { flags |= 1 << 10 | UInt64(kinds.rawValue) << 48 }
        return flags
    }

    private mutating func add(_ key: PackedRequirement, _ traits: borrowing TransferTraits) -> Int32 {
        var constraints = traits.constraints
        constraints.window = nil
        constraints.deadline = nil
        constraints.notBefore = nil
        let shared = TransferTraits(
            kind: traits.kind, constraints: constraints, host: "", isLoopback: traits.isLoopback,
            submitted: traits.submitted)
        let number = Int32(families.count)
        families.append(
            Family(
                key: key, traits: shared, hasDeadline: traits.constraints.deadline != nil,
                windowConstraint: traits.constraints.window))
        index.insert(key.hash, number) { families[Int($0)].key.hash }
        return number
    }

    private mutating func addWindow(_ constraint: WindowConstraint) -> Int32 {
        let number = Int32(windows.count)
        windows.append(constraint)
        windowNumbers[constraint] = number
        return number
    }

    /// Makes the classes of a family that time may take its members to, so that it is known what they may do then.
    mutating func makeClasses(of family: Int32, for policy: any StagedPolicy) {
        let hasDeadline = families[Int(family)].hasDeadline
        let count = min(max(1, policy.stageCount(withDeadline: hasDeadline)), RequirementClass.individual)
        families[Int(family)].stageCount = count
        for stage in 0..<count { _ = classNumber(family, stage: stage) }
    }

    /// Another policy may have other stages.
    mutating func forgetStages() {
        for family in families.indices { families[family].stageCount = 0 }
    }

    /// The class of a family in a stage.
    mutating func classNumber(_ family: Int32, stage: Int) -> Int32 {
        let known = families[Int(family)].classes
        if stage < known.count, known[stage] >= 0 { return known[stage] }
        let number = Int32(classes.count)
        classes.append(RequirementClass(family: family, stage: stage))
        if stage >= known.count {
            families[Int(family)].classes += Array(repeating: TransferRecord.none, count: stage + 1 - known.count)
        }
        families[Int(family)].classes[stage] = number
        return number
    }

    /// How many stages the policy may ask of a family's members for; 0 while it has not been asked.
    @inline(__always)
    func stageCount(of family: Int32) -> Int { families[Int(family)].stageCount }

    func family(ofClass number: Int32) -> Family { families[Int(classes[Int(number)].family)] }
}

extension Assessment {
    /// What conditions and, for discretionary work, the policy say to all members of a family, dates and windows aside: by
    /// stage what leave to run stands on, nil for a hold.
    ///
    /// - Returns: whether another mood of the policy may change these while the conditions stay.
    func answer(_ family: borrowing Family, _ answers: inout [RelevantFacts?]) -> Bool {
        answers.removeAll(keepingCapacity: true)
        let verdict = conditionsVerdict(family.traits.constraints, isLoopback: family.traits.isLoopback)
        // Where they hold it, whatever the policy says; and of a stage that nobody was in nobody asks.
        let facts = verdict.facts
        for stage in family.classes.indices where stage != RequirementClass.individual {
            answers.append(family.classes[stage] >= 0 ? facts : nil)
        }
        guard facts != nil, family.traits.kind == .discretionary, isStaged else { return false }
        var subject = PolicySubject(traits: family.traits)
        subject.traits.submitted = now.wall
        stagedPolicy.narrow(&answers, for: subject, in: context)
        return stagedPolicy.moodMatters(to: subject, in: context)
    }
}
