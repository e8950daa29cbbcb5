// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// A model of the scheduler's state that checks every step against the rules, without access
/// to the scheduler's state.
package struct SchedulerModel {
    /// The state of an unfinished transfer.
    struct Known {
        var traits: TransferTraits
        var isPaused = false
        var isRunning = false
        var isStopping = false
        var isCancelled = false
        /// A Boolean value that indicates whether the transfer expired during an attempt, so that it ends with the
        /// attempt.
        var isExpiring = false
        var isHeld = false
        var needsApp = false
        var needsSpace = false
        var spaceNeeded: Int64 = 1
        var bytes: Int64 = 0
        var total: Int64?
        var retry: RetryState?
        var backoffEnd: Instant?
        var relaunchDelay: RelaunchLimiter.RelaunchDelay?
        var release: Instant?
        /// The state of the deadline that was last reported.
        var reported: DeadlineState?
        /// For each condition, the time since which the running transfer lacks it.
        var missing: [Instant?] = []
    }

    private(set) var open: [TransferID: Known] = [:]
    /// The open ids in no particular order, for random choice.
    private(set) var ids: [TransferID] = []
    private(set) var running: [TransferID] = []
    private(set) var ended: Set<TransferID> = []
    var watched: Set<TransferID> = []
    private(set) var faults: [String] = []
    let configuration: SchedulerConfiguration
    private(set) var hosts: [String: Int] = [:]
    private(set) var apps: [String: Int] = [:]
    private(set) var sessions: [String: Int] = [:]
    /// The times before which no transfer to a host may start, because the host requested it.
    private(set) var waitsOfHosts: [String: Instant] = [:]
    private(set) var conditions: Conditions
    private(set) var budgets = ByteBudgetRegistry()
    private(set) var staggeredStart: StaggeredStartBounds
    /// A Boolean value that indicates whether the policy is the default policy, which prefers unmetered networks.
    var isDefaultPolicy = true
    /// A Boolean value that indicates whether the policy lets every transfer run, so that only constraints decide.
    var isImmediatePolicy = false

    init(configuration: SchedulerConfiguration, conditions: Conditions) {
        self.configuration = configuration
        self.conditions = conditions
        staggeredStart = StaggeredStartBounds(configuration)
    }

    mutating func fault(_ text: String) { faults.append(text) }

    var hasWindows: Bool { open.values.contains { $0.traits.constraints.window != nil && !$0.isRunning } }

    // MARK: Adding, changing, removing

    mutating func add(_ id: TransferID, _ known: Known) {
        open[id] = known
        ids.append(id)
    }

    mutating func update(_ id: TransferID, _ body: (inout Known) -> Void) {
        guard var known = open[id] else { return }
        body(&known)
        open[id] = known
    }

    mutating func change(_ id: TransferID, to traits: TransferTraits) {
        guard let known = open[id] else { return }
        if known.isRunning {
            count(known.traits, -1)
            count(traits, 1)
        } else if traits.isFromBackground != true, traits != known.traits {
            open[id]?.release = nil
        }
        if traits.constraints.deadline != known.traits.constraints.deadline { open[id]?.reported = nil }
        open[id]?.traits = traits
    }

    /// Forgets all transfers, as if the process had ended. Returns the stored state in the order of the ids.
    mutating func forgetAll() -> [(TransferID, Known)] {
        let stored = open.sorted { $0.key < $1.key }
        open = [:]
        ids = []
        running = []
        watched = []
        (hosts, apps, sessions) = ([:], [:], [:])
        staggeredStart = StaggeredStartBounds(configuration)
        return stored
    }

    mutating func endAttempt(_ id: TransferID) {
        guard let known = open[id], known.isRunning else { return }
        count(known.traits, -1)
        running.removeAll { $0 == id }
        open[id]?.isRunning = false
        open[id]?.isStopping = false
        open[id]?.missing = []
    }

    /// Ends an attempt because the disk is full. The transfer then waits for space, unless it was paused or canceled.
    mutating func runOutOfSpace(_ id: TransferID, _ needed: Int64?) {
        guard let known = open[id] else { return }
        let waits = !known.isPaused && !known.isCancelled
        endAttempt(id)
        open[id]?.needsSpace = waits
        open[id]?.spaceNeeded = max(needed ?? 1, 1)
    }

    /// Records that a host requested a wait. It counts unless the host waits about as long already.
    mutating func requestWait(by host: String, until end: Instant, at now: Instant) {
        if let known = waitsOfHosts[host], known > now, end < known.advanced(by: .seconds(1)) { return }
        waitsOfHosts[host] = end
    }

    /// Ends the wait of the host of a transfer that the user wants now.
    mutating func resume(_ id: TransferID) {
        guard let known = open[id], !known.isRunning, !known.isPaused else { return }
        waitsOfHosts[known.traits.host] = nil
    }

    /// Clears the wait for space and the backoff of a transfer that is not running.
    mutating func pause(_ id: TransferID) {
        guard let known = open[id] else { return }
        if !known.isRunning {
            open[id]?.needsSpace = false
            open[id]?.backoffEnd = nil
        }
    }

    private mutating func count(_ traits: TransferTraits, _ step: Int) {
        hosts[traits.host, default: 0] += step
        apps[traits.app, default: 0] += step
        if let session = traits.session { sessions["\(traits.app)/\(session)", default: 0] += step }
    }

    // MARK: Events

    mutating func observe(_ event: Event, at now: ClockReading) {
        switch event {
        case .conditionsChanged(let new):
            conditions = new
            staggeredStart.update(new, at: now.instant)
        case .budgetsChanged(let registry): budgets = registry
        case .progressed(let id, let bytes, _): progress(id, to: bytes, at: now)
        default: break  // The run reports other events in its own words.
        }
        for id in running where open[id].map({ isExpired($0, at: now) }) == true { open[id]?.isExpiring = true }
    }

    private mutating func progress(_ id: TransferID, to bytes: Int64, at now: ClockReading) {
        guard let known = open[id], known.isRunning else { return }
        open[id]?.bytes = bytes
        guard bytes > known.bytes, !known.isStopping, !known.traits.isLoopback, Unmet.isMetered(conditions) else {
            return
        }
        try? budgets.charge(
            bytes - known.bytes, connection: conditions.connection.value, app: known.traits.app, at: now.wall,
            localTime: conditions.localTime)
    }

    // MARK: Effects

    mutating func apply(_ effect: Effect, at now: ClockReading, _ limiterEnd: (String) -> Instant?) {
        switch effect {
        case .start(let id): start(id, at: now)
        case .stop(let id):
            guard let known = open[id], known.isRunning, !known.isStopping else {
                return fault("\(id) is stopped although it is not running")
            }
            if !hasReasonToStop(known, at: now) { fault("\(id) is stopped without a reason") }
            open[id]?.isStopping = true
        case .end(let id, let ending):
            guard let known = open.removeValue(forKey: id) else { return fault("\(id) ends although it is not open") }
            if known.isRunning { fault("\(id) ends during its attempt: \(ending)") }
            if ending == .failed(.expired), !known.isExpiring, !isExpired(known, at: now) {
                fault("\(id) is given up before its time")
            }
            if !ended.insert(id).inserted { fault("\(id) ends twice") }
            if let index = ids.firstIndex(of: id) { ids.swapAt(index, ids.count - 1) }
            ids.removeLast()
            watched.remove(id)
        case .saveRetry(let id, let retry):
            open[id]?.retry = retry
            open[id]?.backoffEnd = retry.map { now.instant(of: $0.until) }
        case .savePaused(let id, let isPaused):
            open[id]?.isPaused = isPaused
            // A paused transfer waits only for its resumption.
            if isPaused { open[id]?.backoffEnd = nil }
        case .saveRelaunchDelay(let id, let relaunchDelay):
            guard let app = open[id]?.traits.app else { return }
            open[id]?.relaunchDelay = relaunchDelay
            open[id]?.release = relaunchDelay == nil ? nil : limiterEnd(app)
        case .explain(let id):
            if !watched.contains(id) { fault("\(id) is explained although it is not watched") }
        case .wake(let instant):
            if let instant, instant <= now.instant { fault("a wake-up is requested for a time that has passed") }
        case .reportDeadline(let id, let state):
            guard let known = open[id], let deadline = known.traits.constraints.deadline?.date else {
                return fault("\(id) has no deadline, but a report about it")
            }
            if state == .missed, now.wall < deadline { fault("\(id) is reported as late before its deadline") }
            if known.reported == state || known.reported == .missed { fault("\(id) is reported twice as \(state)") }
            open[id]?.reported = state
        case .discard, .saveStatistics, .measureSpace: break  // No rule applies to these effects.
        }
    }

    private mutating func start(_ id: TransferID, at now: ClockReading) {
        guard let known = open[id] else { return fault("\(id) starts although it is not open") }
        let traits = known.traits
        if known.isRunning { fault("\(id) starts although it is running") }
        if known.isPaused || known.isCancelled || known.isExpiring || known.needsSpace || isObstructed(known, at: now) {
            fault("\(id) starts although it is paused, ending, obstructed, or waiting for space")
        }
        if let end = known.backoffEnd, now.instant < end { fault("\(id) starts before its backoff ends") }
        if isAskedToWait(traits, at: now) { fault("\(id) starts although its host requested a wait") }
        if let release = known.release, now.instant < release { fault("\(id) starts during its app's relaunch delay") }
        let unmet = Unmet(traits, conditions, at: now, isDefaultPolicy: isDefaultPolicy)
        if !unmet.isEmpty { fault("\(id) starts although \(unmet)") }
        if !Unmet.isDebounced(traits, conditions, at: now, configuration) {
            fault("\(id) starts before its conditions are stable")
        }
        if let scope = fullScope(for: traits) { fault("\(id) starts without a free slot of its \(scope)") }
        if isStaggered(traits), !staggeredStart.started(at: now.instant) {
            fault("\(id) starts together with another transfer, or with the end of an outage")
        }
        count(traits, 1)
        running.append(id)
        open[id]?.isRunning = true
        open[id]?.backoffEnd = nil
        open[id]?.missing = Array(repeating: nil, count: Unmet.hysteresisCount)
    }

    // MARK: Checks after each event

    /// Checks that running transfers have all they require, or are within the hysteresis of a lost condition.
    mutating func checkRunning(at now: ClockReading) {
        for id in running {
            guard let known = open[id], !known.isStopping else { continue }
            let unmet = Unmet(known.traits, conditions, at: now, isDefaultPolicy: false)
            if isObstructed(known, at: now) { fault("\(id) runs although it is obstructed") }
            if !unmet.isDisjoint(with: .immediate) { fault("\(id) runs although \(unmet)") }
            for fact in 0..<Unmet.hysteresisCount {
                guard unmet.contains(Unmet(rawValue: 1 << UInt8(fact))) else {
                    if known.missing[fact] != nil { open[id]?.missing[fact] = nil }
                    continue
                }
                let since = known.missing[fact] ?? now.instant
                open[id]?.missing[fact] = since
                if since.duration(to: now.instant) >= Unmet.hysteresis(of: fact, configuration) {
                    fault("\(id) runs beyond its hysteresis although \(unmet)")
                }
            }
        }
    }

    /// Checks that no transfer waits that has all it needs.
    mutating func checkWaiting(at now: ClockReading) {
        for (id, known) in open where mustRun(known, at: now) { fault("\(id) may run but does not: \(known)") }
    }

    /// Checks every open transfer.
    mutating func checkAll(at now: ClockReading, _ scheduler: borrowing Scheduler) {
        if scheduler.openCount != open.count {
            fault("\(scheduler.openCount) transfers are open, expected \(open.count)")
        }
        for (id, known) in open {
            if scheduler.occupiesSlot(id) != known.isRunning { fault("\(id): slot and state disagree") }
            if let expires = known.traits.expires, expires <= now.wall, !known.isRunning || !known.isStopping {
                fault("\(id) continues after its expiration")
            }
            if let deadline = known.traits.constraints.deadline?.date, deadline <= now.wall, known.reported != .missed {
                fault("\(id) has missed its deadline, which is not reported")
            }
        }
    }
}
