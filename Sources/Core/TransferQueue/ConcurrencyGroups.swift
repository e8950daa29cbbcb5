// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy

/// A group of transfers that share all of their limits: the same app, session and host, and the same limit for the
/// host.
struct ConcurrencyGroup: Sendable {
    /// The names and the limit that identify a group.
    struct Key: Hashable, Sendable {
        let app: String
        let session: String?
        let host: String
        let slotsPerHost: Int?

        init(_ traits: borrowing TransferTraits) {
            (app, session, host, slotsPerHost) = (traits.app, traits.session, traits.host, traits.slotsPerHost)
        }

        @inline(__always)
        func fits(_ traits: borrowing TransferTraits) -> Bool {
            guard host == traits.host, app == traits.app, session == traits.session else { return false }
            return slotsPerHost == traits.slotsPerHost
        }
    }

    let key: Key
    /// The numbers of the group's three slot counters.
    let app: Int32
    let session: Int32
    let host: Int32
    let hostLimit: Int32
    /// The number of transfers that wait or run in the group.
    var members: Int32 = 0
    /// The group's ready heaps, which are removed together with the group.
    var heaps: [Int32] = []
}

/// The slots of one app, session or host.
struct SlotCounter: Sendable {
    enum Scope: Hashable, Sendable {
        case app(String)
        case session(app: String, String?)
        case host(String)
    }

    let scope: Scope
    var running: Int32 = 0
    /// The number of concurrency groups that use the counter. An app's counter stays even without groups, because its
    /// last turn counts.
    var groups: Int32 = 0
    /// For a session, the number of transfers that wait or run in it.
    var members: Int32 = 0
    /// The number of the app's latest start, in the sequence of all starts.
    var lastTurn: Int64 = 0

    var app: String {
        switch scope {
        case .app(let name), .session(let name, _): name
        case .host: ""
        }
    }
}

/// Counts slots, and numbers the concurrency groups of all transfers that wait or run.
struct ConcurrencyGroups: ~Copyable, Sendable {
    private(set) var groups = Slab<ConcurrencyGroup>()
    private(set) var counters = Slab<SlotCounter>()
    private var groupNumbers: [ConcurrencyGroup.Key: Int32] = [:]
    private var counterNumbers: [SlotCounter.Scope: Int32] = [:]
    /// The group that a transfer joined last. Many successive submissions often go to one server.
    private var last = Int32.noIndex
    /// The group that became empty last, which may gain a member again.
    private var idle = Int32.noIndex
    /// The total number of slots in use.
    private(set) var running = 0
    private var turn: Int64 = 0
    /// The end of the first wait, requested by a server, that has kept a group from starting since the last refresh.
    var serverWaitEnd: Instant?
    private let limits: (global: Int, host: Int, app: Int32, session: Int32)

    init(_ configuration: any QueueConfiguration) {
        limits = (
            max(1, configuration.globalSlots), max(1, configuration.slotsPerHost),
            Int32(clamping: max(1, configuration.slotsPerApp)), Int32(clamping: max(1, configuration.slotsPerSession))
        )
    }

    // MARK: Members

    /// Adds a transfer to its group and returns the group's number.
    mutating func join(_ traits: borrowing TransferTraits) -> Int32 {
        if last == .noIndex || !groups[last].pointee.key.fits(traits) {
            let key = ConcurrencyGroup.Key(traits)
            last = groupNumbers[key] ?? add(key)
        }
        joinAgain(last)
        return last
    }

    /// Adds another member to a group.
    mutating func joinAgain(_ number: Int32) {
        groups[number].pointee.members += 1
        counters[groups[number].pointee.session].pointee.members += 1
    }

    private mutating func add(_ key: ConcurrencyGroup.Key) -> Int32 {
        let number = groups.insert(
            ConcurrencyGroup(
                key: key, app: counter(.app(key.app)), session: counter(.session(app: key.app, key.session)),
                host: counter(.host(key.host)), hostLimit: Int32(clamping: max(1, key.slotsPerHost ?? limits.host))))
        groupNumbers[key] = number
        return number
    }

    private mutating func counter(_ scope: SlotCounter.Scope) -> Int32 {
        let number = counterNumbers[scope] ?? counters.insert(SlotCounter(scope: scope))
        counterNumbers[scope] = number
        counters[number].pointee.groups += 1
        return number
    }

    /// Removes a member from a group.
    ///
    /// An empty group stays until another group becomes empty: if one transfer waits at a time, the next one often
    /// belongs to the same group. Returns the ready heaps of the group that is removed; `nil` if none is.
    mutating func leave(_ number: Int32) -> [Int32]? {
        groups[number].pointee.members -= 1
        counters[groups[number].pointee.session].pointee.members -= 1
        guard groups[number].pointee.members == 0, idle != number else { return nil }
        let before = idle
        idle = number
        return before != .noIndex && groups[before].pointee.members == 0 ? remove(before) : nil
    }

    private mutating func remove(_ number: Int32) -> [Int32] {
        let group = groups[number].pointee
        if last == number { last = .noIndex }
        groupNumbers[group.key] = nil
        groups.release(number)
        for counter in [group.app, group.session, group.host] {
            counters[counter].pointee.groups -= 1
            guard counters[counter].pointee.groups == 0, counter != group.app else { continue }
            counterNumbers[counters[counter].pointee.scope] = nil
            counters.release(counter)
        }
        return group.heaps
    }

    /// Returns whether no transfer of the app and session waits or runs.
    func isLast(of traits: borrowing TransferTraits) -> Bool {
        guard let number = counterNumbers[.session(app: traits.app, traits.session)] else { return true }
        return counters[number].pointee.members == 0
    }

    // MARK: Slots

    @inline(__always)
    mutating func acquireSlots(_ number: Int32) { count(number, 1) }

    @inline(__always)
    mutating func freeSlots(_ number: Int32) { count(number, -1) }

    /// Takes the slots of a start, and records the start as its app's latest turn.
    @inline(__always)
    mutating func recordTurn(_ number: Int32) {
        count(number, 1)
        turn += 1
        counters[groups[number].pointee.app].pointee.lastTurn = turn
    }

    @inline(__always)
    private mutating func count(_ number: Int32, _ change: Int32) {
        let group = groups[number]
        counters[group.pointee.host].pointee.running += change
        counters[group.pointee.session].pointee.running += change
        counters[group.pointee.app].pointee.running += change
        running += Int(change)
    }

    var isFull: Bool { running >= limits.global }

    @inline(__always)
    func isFull(app: Int32) -> Bool { counters[app].pointee.running >= limits.app }

    /// Returns whether the host or the session of a group has no free slot.
    @inline(__always)
    func isFull(group number: Int32) -> Bool {
        let group = groups[number]
        return counters[group.pointee.host].pointee.running >= group.pointee.hostLimit
            || (group.pointee.key.session != nil
                && counters[group.pointee.session].pointee.running >= limits.session)
    }

    /// Returns whether the host and the session of a group have free slots, and the server has not requested a wait.
    @inline(__always)
    mutating func mayStart(_ number: Int32, _ evaluator: PolicyEvaluator) -> Bool {
        guard !isFull(group: number) else { return false }
        guard let wait = evaluator.serverWaits.wait(of: groups[number].pointee.key.host, at: evaluator.now.instant)
        else { return true }
        serverWaitEnd = Verdict.earlier(serverWaitEnd, wait.until)
        return false
    }

    /// Returns the scope whose slots keep a transfer from starting; `nil` if there is none.
    func fullScope(for traits: borrowing TransferTraits) -> SlotScope? {
        if let number = find(traits) {
            let group = groups[number].pointee
            if counters[group.host].pointee.running >= group.hostLimit { return .host(traits.host) }
            if let session = traits.session, counters[group.session].pointee.running >= limits.session {
                return .session(session)
            }
            if isFull(app: group.app) { return .app(traits.app) }
        }
        return isFull ? .global : nil
    }

    /// Returns the group of a transfer that has joined one.
    func find(_ traits: borrowing TransferTraits) -> Int32? {
        if last != .noIndex, groups[last].pointee.key.fits(traits) { return last }
        return groupNumbers[ConcurrencyGroup.Key(traits)]
    }
}
