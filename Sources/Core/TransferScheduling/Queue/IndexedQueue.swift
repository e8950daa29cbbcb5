// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The waiting queue that stays instant with a million transfers.
///
/// Transfers that ask for the same are in one class, and what may run is decided once for each class and kept as bits
/// (``Availability``). Within a class they lie on a shelf for each rank, there in a queue for each app, and there in a
/// bucket for each host and session: so the next to start is found by looking at a few heads. Whoever meets a full slot
/// is parked there until the slot is free. What waits for a moment of its own has a timer in its family's wheel, and
/// the family asks to be woken only while one of its classes may run.
struct IndexedQueue: WaitingQueue, ~Copyable {
    var records = Pages<TransferRecord>()
    /// By id.
    var index = NumberIndex(neighbours: 4)
    /// Whole entries of those that are more than a record says.
    var extras = Pages<TransferEntry>()
    var lanes: Lanes
    var requirements = Requirements()
    var availability = Availability()
    var timers = FamilyTimers()

    var levels: [Level] = []
    /// The numbers of the levels, best rank first.
    var ranking: [Int32] = []
    /// By rank: one for every combination there can be, none where it has not been seen.
    var levelNumbers = Array(repeating: TransferRecord.none, count: 4 * 1001)
    var shelves = Pages<Shelf>()
    var appQueues = Pages<AppQueue>()
    var appQueueNumbers: [PlaceKey: Int32] = [:]
    var buckets = Pages<Bucket>()
    /// By their keys.
    var bucketIndex = NumberIndex()
    /// The bucket that lost its last member last; none where it has one again.
    var emptyBucket = TransferRecord.none
    /// The classes that have something to start on any shelf, for each the number of shelves.
    var filledShelves: [Int32] = []
    var filledClasses = BitSet(capacity: 256)
    /// The classes of work that sleep and outages hold up.
    var gated = BitSet(capacity: 256)
    /// Classes of transfers with a deadline.
    var dated = BitSet(capacity: 256)
    var capacity = 256
    /// Scratch: levels that might start something now.
    var startable: [Int32] = []
    /// Scratch: the classes that might.
    var open: [UInt64] = []
    /// Whose turn it is, between ``next(_:isGateClosed:)`` and ``takeNext()``.
    var chosen = TransferRecord.none

    /// Slots taken in all.
    var running = 0
    /// Counts all starts.
    var turn: Int64 = 0
    /// Transfers that the policy is asked about one by one.
    var individuals = 0
    /// When the policy's word on one of these may change.
    var individualLook: Instant?
    /// Transfers that the rest of their window is too short for.
    var misfits: [TransferID] = []
    var rateOfMisfits: Int64?
    var zoneOfMisfits: LocalTimeRules?
    var lastWall: WallTime
    /// Whether bytes that come now count against budgets.
    var isBudgeted = false
    /// Whether a budget kept something from starting at the last look.
    var isHeldByBudget = false
    var highestID = Int64.min
    var familyMoments = FamilyMoments()
    /// Scratch: what was parked and is let go.
    var unparking: [Int32] = []

    /// A class, a level, and an app or a lane, in one number: hashing it is most of what looking it up costs.
    struct PlaceKey: Hashable {
        let packed: UInt64

        init(number: Int32, level: Int32, part: Int32) {
            // There are at most 4004 levels, and 2²⁰ classes would take a gigabyte of shelves.
            packed =
                UInt64(UInt32(bitPattern: part)) << 32 | UInt64(UInt32(bitPattern: level) & 0xFFF) << 20
                | UInt64(UInt32(bitPattern: number) & 0xFFFFF)
        }
    }

    let globalSlots: Int
    let slotsPerApp: Int32
    let slotsPerSession: Int32
    let agingInterval: Int
    /// Whether what waits may take a slot from what runs.
    let isPreemptive: Bool
    /// Whether the one that is chosen owes that to ageing.
    var isChosenByAging = false

    init(_ assessment: Assessment) {
        let configuration = assessment.configuration
        globalSlots = max(1, configuration.globalSlots)
        slotsPerApp = Int32(clamping: max(1, configuration.slotsPerApp))
        slotsPerSession = Int32(clamping: max(1, configuration.slotsPerSession))
        agingInterval = max(1, configuration.agingInterval)
        isPreemptive = configuration.isPreemptive
        lanes = Lanes(slotsPerHost: configuration.slotsPerHost)
        lastWall = assessment.now.wall
    }

    var count: Int { records.count }

    @inline(__always)
    func contains(_ id: TransferID) -> Bool {
        // Ids come in order: a new one needs no look at where old ones lie, which would be somewhere far in memory.
        id.rawValue <= highestID && place(of: id.rawValue) != nil
    }

    // MARK: Coming and going

    mutating func insert(_ id: TransferID, _ entry: TransferEntry, _ assessment: Assessment) {
        let lane = lanes.join(entry.traits)
        var record = TransferRecord(id, entry.traits)
        if !entry.isPlain { record.extra = extras.take(entry) }
        settle(add(record), entry, lane: lane, assessment)
    }

    mutating func insert(_ id: TransferID, _ traits: borrowing TransferTraits, _ assessment: Assessment) {
        guard traits.isPlain else {
            return insert(id, TransferEntry(traits: copy traits, phase: .waiting(nil)), assessment)
        }
        lastWall = max(lastWall, assessment.now.wall)
        let lane = lanes.join(traits)
        let family = requirements.family(of: traits)
        let stage = stage(of: traits, family, assessment)
        let place = add(TransferRecord(id, traits))
        join(place, family, stage, levelNumber(of: traits), lane: lane)
        if stage.number == RequirementClass.individual { return }
        release(place, family, stage, .of(traits, at: assessment.now), at: assessment.now)
    }

    @inline(__always)
    private mutating func add(_ record: TransferRecord) -> Int32 {
        let place = records.take(record)
        enter(TransferID(record.id), at: place)
        return place
    }

    mutating func remove(_ id: TransferID) -> TransferEntry? {
        guard let place = place(of: id.rawValue) else { return nil }
        let entry = entry(at: place)
        let lane = buckets[records[place].pointee.bucket].pointee.lane
        take(place)
        leave(lane: lane)
        return entry
    }

    /// Takes a transfer out of everything but its lane.
    mutating func take(_ place: Int32) {
        leaveBucket(place)
        let record = records[place].pointee
        index.remove(UInt64(bitPattern: record.id), place) { UInt64(bitPattern: records[$0].pointee.id) }
        if record.extra != TransferRecord.none { releaseExtra(record.extra) }
        records[place].pointee.bucket = TransferRecord.none
        records.release(place)
    }

    private mutating func releaseExtra(_ number: Int32) {
        extras[number].pointee.traits.constraints = Constraints()
        extras.release(number)
    }

    /// Puts a transfer where it belongs now: to its turn, or to what it waits for.
    mutating func settle(
        _ place: Int32, _ entry: borrowing TransferEntry, lane: Int32, _ assessment: Assessment
    ) {
        // What is settled now by a date that has come may have to be settled anew where the clock is set back.
        lastWall = max(lastWall, assessment.now.wall)
        let family = requirements.family(of: entry.traits)
        let stage = stage(of: entry, family, assessment)
        join(place, family, stage, levelNumber(of: entry.traits), lane: lane)
        if stage.number == RequirementClass.individual { return }
        release(place, family, stage, entry.obstruction(at: assessment.now), at: assessment.now)
    }

    /// Puts a transfer among those that it is decided about together with.
    @inline(__always)
    private mutating func join(
        _ place: Int32, _ family: Int32, _ stage: PolicyStage, _ level: Int32, lane: Int32
    ) {
        let number = requirements.classNumber(family, stage: stage.number)
        // For all classes of the family, whichever it is in: the sets that these are held against have all of them.
        growSets(to: requirements.classes.count)
        join(place, bucketNumber(classNumber: number, level, lane: lane))
        if stage.number == RequirementClass.individual {
            records[place].pointee.state.insert(.individual)
            individuals += 1
        }
    }

    /// Gives a transfer its turn, or has it wait for the end of what keeps it from that.
    private mutating func release(
        _ place: Int32, _ family: Int32, _ stage: PolicyStage, _ obstruction: Obstruction, at now: Moment
    ) {
        switch obstruction {
        case .none:
            link(place)
            // A stage that were over already would be asked for without end.
            if let until = stage.until, until > now.wall { setTimer(place, family, wall: until) }
        case .until(let instant): setTimer(place, family, boot: instant)
        case .untilDate(let date): setTimer(place, family, wall: date)
        case .indefinite: break  // Only an event can end it.
        }
    }

    /// Takes a transfer from where it is and puts it where it belongs now.
    mutating func resettle(_ place: Int32, _ assessment: Assessment) {
        let entry = entry(at: place)
        let lane = buckets[records[place].pointee.bucket].pointee.lane
        leaveBucket(place)
        settle(place, entry, lane: lane, assessment)
    }

    var hasMisfits: Bool { !misfits.isEmpty }

    // MARK: Slots

    func isLast(of traits: borrowing TransferTraits) -> Bool { lanes.sessionMembers(of: traits) == 0 }

    func fullSlots(for traits: borrowing TransferTraits) -> SlotScope? {
        if let number = lanes.find(traits) {
            let lane = lanes.lanes[number].pointee
            if lanes.hosts[lane.host].pointee.running >= lane.hostLimit { return .host(traits.host) }
            if let session = traits.session, lanes.sessions[lane.session].pointee.running >= slotsPerSession {
                return .session(session)
            }
            if lanes.apps[lane.app].pointee.running >= slotsPerApp { return .app(traits.app) }
        }
        return running >= globalSlots ? .global : nil
    }

    mutating func takeSlots(of traits: borrowing TransferTraits) {
        takeSlots(lane: lanes.join(traits))
    }

    mutating func takeSlots(lane number: Int32) {
        let lane = lanes.lanes[number]
        lanes.hosts[lane.pointee.host].pointee.running += 1
        lanes.sessions[lane.pointee.session].pointee.running += 1
        lanes.apps[lane.pointee.app].pointee.running += 1
        running += 1
    }

    mutating func freeSlots(of traits: borrowing TransferTraits) {
        guard let number = lanes.find(traits) else { return }
        freeSlots(lane: number)
    }

    mutating func freeSlots(lane number: Int32) {
        let lane = lanes.lanes[number]
        lanes.hosts[lane.pointee.host].pointee.running -= 1
        lanes.sessions[lane.pointee.session].pointee.running -= 1
        lanes.apps[lane.pointee.app].pointee.running -= 1
        running -= 1
        unpark(lane)
        leave(lane: number)
    }
}

/// What of its own keeps a transfer from its turn.
enum Obstruction {
    case none
    case until(Instant)
    case untilDate(WallTime)
    case indefinite

    /// What keeps one from its turn that is new.
    static func of(_ traits: borrowing TransferTraits, at now: Moment) -> Obstruction {
        guard let date = traits.constraints.notBefore?.date, date > now.wall else { return .none }
        return .untilDate(date)
    }
}

extension TransferEntry {
    func obstruction(at now: Moment) -> Obstruction {
        var until: Instant?
        if !isOrdinary {
            guard held == nil, need == nil else { return .indefinite }
            until = relaunchDelay?.release
        }
        switch phase {
        case .paused, .running, .stopping, .waiting(.storage): return .indefinite
        case .waiting(.backoff(_, _, _, let end)): until = max(until ?? end, end)
        case .waiting(nil): break
        }
        if let until, until > now.instant { return .until(until) }
        return .of(traits, at: now)
    }
}
