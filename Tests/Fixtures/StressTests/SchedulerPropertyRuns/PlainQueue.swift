// SPDX-License-Identifier: Apache-2.0
#if DEBUG || TESTABLE
import TransferModel
import TransferPolicy
@testable import TransferQueue
@testable import TransferScheduling

/// The simplest possible waiting queue, which examines every transfer in each call.
///
/// `IndexedQueue` is compared with this reference implementation.
struct PlainQueue: WaitingQueue {
    private var entries: [TransferID: TransferEntry] = [:]
    /// The traits of the attempts that occupy slots.
    private var running: [TransferTraits] = []
    private var passedOver: [Level: Int] = [:]
    /// The turn number of each app's latest start.
    private var lastTurns: [String: Int] = [:]
    private var turn = 0
    private var chosen: (key: TransferID, value: TransferEntry)?
    private let configuration: any QueueConfiguration

    private struct Level: Hashable {
        let isUserInitiated: Bool
        let priority: Int
        let hasDeadline: Bool

        init(_ traits: TransferTraits) {
            isUserInitiated = traits.kind == .userInitiated
            priority = traits.priority
            hasDeadline = traits.constraints.deadline != nil
        }

        func ranksAbove(_ other: Level) -> Bool {
            if isUserInitiated != other.isUserInitiated { return isUserInitiated }
            if priority != other.priority { return priority > other.priority }
            return hasDeadline && !other.hasDeadline
        }
    }

    init(_ evaluator: PolicyEvaluator) { configuration = evaluator.configuration }

    // MARK: Inserting and removing

    var count: Int { entries.count }

    func contains(_ id: TransferID) -> Bool { entries[id] != nil }

    func entry(of id: TransferID) -> TransferEntry? { entries[id] }

    func forEach(_ body: (TransferID, borrowing TransferEntry) -> Void) {
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) { body(id, entry) }
    }

    mutating func insert(_ id: TransferID, _ entry: TransferEntry, _ evaluator: PolicyEvaluator) { entries[id] = entry }

    mutating func insert(_ id: TransferID, _ traits: borrowing TransferTraits, _ evaluator: PolicyEvaluator) {
        insert(id, TransferEntry(traits: copy traits, phase: .waiting(nil)), evaluator)
    }

    /// Returns `nil`, because every transfer is examined individually.
    func sharedHeap(of id: TransferID) -> Int32? { nil }

    mutating func insert(
        _ id: TransferID, submitted: WallTime, notBefore: WallTime?, expected: Int64?, like position: Int32
    ) { preconditionFailure("this queue shares no entries") }

    mutating func remove(_ id: TransferID) -> TransferEntry? { entries.removeValue(forKey: id) }

    /// Does nothing, because the queue caches no conditions.
    mutating func refresh(_ evaluator: PolicyEvaluator, _ changes: SchedulerChanges) {}

    // MARK: Slots

    mutating func acquireSlots(of traits: borrowing TransferTraits) { running.append(copy traits) }

    mutating func freeSlots(of traits: borrowing TransferTraits) {
        let ended = copy traits
        if let index = running.firstIndex(of: ended) { running.remove(at: index) }
    }

    var hasBlockedBySize: Bool { true }

    func isLast(of traits: borrowing TransferTraits) -> Bool {
        let (app, session) = (traits.app, traits.session)
        let others = entries.values.map(\.traits) + running
        return !others.contains { $0.app == app && $0.session == session }
    }

    func fullSlots(for traits: borrowing TransferTraits) -> SlotScope? {
        let (app, host, session) = (traits.app, traits.host, traits.session)
        let hostSlots = max(1, traits.slotsPerHost ?? configuration.slotsPerHost)
        if running.count(where: { $0.host == host }) >= hostSlots { return .host(host) }
        if let session {
            let count = running.count { $0.app == app && $0.session == session }
            if count >= max(1, configuration.slotsPerSession) { return .session(session) }
        }
        if running.count(where: { $0.app == app }) >= max(1, configuration.slotsPerApp) { return .app(app) }
        return running.count >= max(1, configuration.globalSlots) ? .global : nil
    }

    // MARK: Choosing the next transfer

    private(set) var isChosenByAging = false

    private func startable(
        _ evaluator: PolicyEvaluator, delaysStaggered: Bool, unless scopes: SlotScope?...
    ) -> [TransferID: TransferEntry] {
        entries.filter { _, entry in
            guard case .run = evaluator.verdict(for: entry) else { return false }
            return scopes.contains(fullSlots(for: entry.traits)) && !(delaysStaggered && entry.isStaggered)
        }
    }

    mutating func contender(_ evaluator: PolicyEvaluator, delaysStaggered: Bool) -> (rank: Rank, until: Instant?)? {
        let startable = startable(evaluator, delaysStaggered: delaysStaggered, unless: nil, .global)
        let best = startable.map { Level($0.value.traits) }.max { $1.ranksAbove($0) }
        return startable.filter { Level($0.value.traits) == best }.min { goesBefore($0, $1, evaluator) }.map {
            (Rank($0.key, $0.value.traits, evaluator), evaluator.endOfFit(of: $0.value))
        }
    }

    mutating func next(_ evaluator: PolicyEvaluator, delaysStaggered: Bool) -> TransferID? {
        let startable = startable(evaluator, delaysStaggered: delaysStaggered, unless: nil)
        let levels = Set(startable.values.map { Level($0.traits) }).sorted { $0.ranksAbove($1) }
        guard let level = choice(among: levels) else { return nil }
        isChosenByAging = level != levels.first
        let members = startable.filter { Level($0.value.traits) == level }
        guard let first = members.min(by: { goesBefore($0, $1, evaluator) }) else { return nil }
        passedOver[level] = 0
        for lower in levels where level.ranksAbove(lower) { passedOver[lower, default: 0] += 1 }
        chosen = first
        return first.key
    }

    mutating func removeNext() -> TransferEntry {
        guard let (id, entry) = chosen else { preconditionFailure("no transfer was chosen") }
        chosen = nil
        entries[id] = nil
        running.append(entry.traits)
        turn += 1
        lastTurns[entry.traits.app] = turn
        return entry
    }

    /// Returns the highest priority level, unless a level was passed over too often. In that case,
    /// returns the level passed over most often.
    private func choice(among levels: [Level]) -> Level? {
        func count(_ level: Level) -> Int { passedOver[level] ?? 0 }
        let most = levels.map(count).max() ?? 0
        guard most >= max(1, configuration.agingInterval) else { return levels.first }
        return levels.first { count($0) == most }
    }

    /// Compares two transfers of a priority level: late transfers last if the settings say so, then by deadline, then by the apps' turns, then by ID.
    private func goesBefore(
        _ left: (key: TransferID, value: TransferEntry), _ right: (key: TransferID, value: TransferEntry),
        _ evaluator: PolicyEvaluator
    ) -> Bool {
        if let first = left.value.traits.constraints.deadline?.date,
            let second = right.value.traits.constraints.deadline?.date, first != second
        {
            let isLate = (first <= evaluator.now.wall, second <= evaluator.now.wall)
            if configuration.startsLateTransfersLast, isLate.0 != isLate.1 { return isLate.1 }
            return first < second
        }
        let (first, second) = (lastTurns[left.value.traits.app] ?? 0, lastTurns[right.value.traits.app] ?? 0)
        return first != second ? first < second : left.key < right.key
    }

    // MARK: Time

    /// Returns the next time at which any verdict may change, even if no transfer can start then.
    mutating func reevaluateAt(_ evaluator: PolicyEvaluator, staggeredUntil: Instant?, isWatched _: Bool) -> Instant? {
        let now = evaluator.now.instant
        var next = staggeredUntil.flatMap { $0 > now ? $0 : nil }
        for entry in entries.values {
            guard case .wait(_, let reevaluation?) = evaluator.verdict(for: entry), reevaluation > now else { continue }
            next = Verdict.earlier(next, reevaluation)
        }
        return next
    }
}
#endif
