// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// A second implementation of the rules, written as plainly as possible and independent of the scheduler. Random runs
/// are compared with it.
struct Oracle {
    /// The oracle's observations of a transfer.
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
        var hasNeed = false
        /// The time at which the app's delay releases the transfer.
        var release: Instant?
        var bytes: Int64 = 0
        var backoffEnd: Instant?
        var retry: RetryState?
        var spaceNeeded: Int64?
        var powerMissingSince: Instant?
        /// The time since which the power itself is missing. A transfer that requires power too late has no
        /// hysteresis.
        var powerGoneSince: Instant?
    }

    var open: [TransferID: Known] = [:]
    var ended: Set<TransferID> = []
    var conditions: Conditions
    let configuration: SchedulerConfiguration
    /// The time that the machine has been awake without AC since the start of the run.
    var timeWithoutAC = Duration.zero
    var lastSeen = Machine.start.instant
    var hours = SeenHours()
    var apps: [String: App] = [:]
    var budgets = ByteBudgetRegistry()
    var staggeredStart = StaggeredStart()

    // MARK: Permissions

    /// Returns whether the power suffices.
    func hasPower(_ known: Known, at now: ClockReading) -> Bool {
        let traits = known.traits
        func isSatisfied(_ level: Int?) -> Bool {
            if conditions.power.value == .ac { return true }
            guard let level, conditions.power.value == .battery else { return false }
            return (conditions.battery.value.level ?? 0) > level
        }
        switch traits.constraints.power {
        case .any: break
        case .ac: if !isSatisfied(nil) { return false }
        case .acOrBattery(let level): if !isSatisfied(level) { return false }
        }
        guard traits.kind == .discretionary, !isWithoutHopeForAC(at: now) else { return true }
        if isSatisfied(nil) { return true }
        guard let (gone, span) = deadline(of: traits, at: now) else { return false }
        if gone >= span { return true }
        let isLate = 4 * gone >= 3 * span || expectsNoAC(within: span - gone, isRunning: known.isRunning, at: now)
        if isLate, isSatisfied(20) { return true }
        return 2 * gone >= span && isSatisfied(known.isRunning ? 40 : 50)
    }

    /// Returns the elapsed and the total nanoseconds of the time until the deadline.
    private func deadline(of traits: TransferTraits, at now: ClockReading) -> (Int64, Int64)? {
        guard let date = traits.constraints.deadline?.date else { return nil }
        let start = max(traits.submitted, traits.constraints.notBefore?.date ?? traits.submitted)
        return (start.duration(to: now.wall).wholeNanoseconds, start.duration(to: date).wholeNanoseconds)
    }

    /// Returns whether AC has been missing for so long that the default policy no longer waits for AC.
    private func isWithoutHopeForAC(at now: ClockReading) -> Bool {
        conditions.power.value != .ac && timeWithoutAC >= .seconds(3 * 86_400)
    }

    /// Returns whether all conditions except the power are fulfilled.
    func hasTheRest(_ traits: TransferTraits, at now: ClockReading) -> Bool {
        if conditions.sleep.value != .awake { return false }
        let constraints = traits.constraints
        if let date = constraints.notBefore?.date, now.wall < date { return false }
        if let windows = constraints.window?.windows {
            let second = now.wall.secondsSinceEpoch + 3 * 86_400
            let isOpen = windows.contains { window in
                (second - window.start) % 604_800 < window.end - window.start
            }
            if !isOpen { return false }
        }
        if traits.isLoopback { return true }
        guard conditions.network.value != .none, conditions.network.value != .portal else { return false }
        if case .only(let kinds) = constraints.linkKinds, !kinds.kinds.contains(conditions.linkKind.value) {
            return false
        }
        let connection = constraints.connection
        if let name = conditions.connection.value {
            if connection.denied.contains(name) { return false }
            if let allowed = connection.allowed, !allowed.contains(name) { return false }
        } else if connection.allowed != nil {
            return false
        }
        if !connection.allowsRoaming, conditions.roaming.value == .yes { return false }
        let mustBeFree =
            constraints.metered == .unmetered || (traits.kind == .discretionary && constraints.metered != .allowed)
        guard mustBeFree else { return true }
        switch conditions.metered.value {
        case .yes, .guessYes: return false
        case .no, .guessNo: return true
        case .unknown: return conditions.linkKind.value == .ethernet || conditions.linkKind.value == .wifi
        }
    }

    /// Returns whether the facts that the transfer relies on are debounced.
    func isStable(_ traits: TransferTraits, at now: ClockReading) -> Bool {
        guard traits.kind == .discretionary else { return true }
        func isLongEnough<Value>(_ fact: Fact<Value>, _ debounce: Duration) -> Bool {
            !fact.isObservedChange || fact.since.instant.duration(to: now.instant) >= debounce
        }
        let isPastDeadline = deadline(of: traits, at: now).map { $0.0 >= $0.1 } ?? false
        let needsPower = traits.constraints.power != .any || !(isPastDeadline || isWithoutHopeForAC(at: now))
        if needsPower, !isLongEnough(conditions.power, configuration.powerDebounce) { return false }
        guard !traits.isLoopback else { return true }
        if traits.constraints.connection != .any {
            guard isLongEnough(conditions.connection, configuration.connectionDebounce),
                isLongEnough(conditions.roaming, configuration.connectionDebounce)
            else { return false }
        }
        return isLongEnough(conditions.network, configuration.networkDebounce)
            && isLongEnough(conditions.linkKind, configuration.linkKindDebounce)
            && isLongEnough(conditions.metered, configuration.meteredDebounce)
    }

    /// Returns whether the transfer may start if it gets a slot.
    func mayStart(_ known: Known, at now: ClockReading) -> Bool {
        !known.isPaused && !known.isRunning && (known.backoffEnd ?? now.instant) <= now.instant
            && known.spaceNeeded == nil && (known.release ?? now.instant) <= now.instant
            && !isObstructed(known, at: now) && hasTheRest(known.traits, at: now) && hasPower(known, at: now)
            && isStable(known.traits, at: now)
    }

    func hasSlot(for traits: TransferTraits) -> Bool {
        let running = open.values.filter(\.isRunning).map(\.traits)
        let ofApp = running.filter { $0.app == traits.app }
        return running.count < configuration.globalSlots && ofApp.count < configuration.slotsPerApp
            && running.filter { $0.host == traits.host }.count < traits.slotsPerHost ?? configuration.slotsPerHost
            && (traits.session == nil
                || ofApp.filter { $0.session == traits.session }.count < configuration.slotsPerSession)
    }

    // MARK: Observations

    /// Processes an event and its effects. Returns descriptions of all violated rules.
    mutating func watch(_ event: Event, _ effects: [Effect], at now: ClockReading) -> [String] {
        let elapsed = lastSeen.duration(to: now.instant)
        if conditions.sleep.value == .awake, elapsed > .zero {
            timeWithoutAC = conditions.power.value == .ac ? .zero : timeWithoutAC + elapsed
        }
        lastSeen = now.instant
        update(event, at: now)
        updateApps(event, at: now)
        for (id, known) in open where known.isRunning && isExpired(known, at: now) { open[id]?.isExpiring = true }
        var faults: [String] = []
        for effect in effects { check(effect, at: now, into: &faults) }
        for (id, known) in open.sorted(by: { $0.key < $1.key }) { check(id, known, at: now, into: &faults) }
        return faults
    }

    private mutating func update(_ event: Event, at now: ClockReading) {
        switch event {
        case .submitted(let id, let traits):
            open[id] = Known(traits: traits)
        case .recovered(let id, let traits, let state):
            open[id] = Known(traits: traits, isPaused: state.isPaused, retry: state.retry)
            open[id]?.backoffEnd = state.isPaused ? nil : state.retry.map { now.instant(of: $0.until) }
            open[id]?.bytes = state.bytes
        case .changed(let id, let traits): open[id]?.traits = traits
        case .conditionsChanged(let new):
            staggeredStart.update(from: conditions, to: new, at: now.instant, configuration)
            hours.update(new, at: now)
            conditions = new
        case .budgetsChanged(let registry): budgets = registry
        case .progressed(let id, let bytes, _): charge(id, to: bytes, at: now)
        case .restarted(let id): if open[id]?.isStopping == false { open[id]?.bytes = 0 }
        case .held(let id, _, _): open[id]?.isHeld = true
        case .released(let id): open[id]?.isHeld = false
        case .appNeeded(let id, _): open[id]?.hasNeed = true
        case .appResponded(let id): open[id]?.hasNeed = false
        case .paused(let id):
            if open[id]?.isCancelled == false { open[id]?.isPaused = true }
            open[id]?.backoffEnd = nil
            open[id]?.spaceNeeded = nil
        case .resumed(let id): open[id]?.isPaused = false
        case .cancelled(let id): open[id]?.isCancelled = true
        case .stopped(let id, _), .failed(let id, _, _, _), .finished(let id): endAttempt(id)
        case .ranOutOfSpace(let id, let needed, _, _):
            endAttempt(id)
            if open[id]?.isPaused == false { open[id]?.spaceNeeded = needed ?? 1 }
        case .spaceMeasured(let id, let available):
            if let needed = open[id]?.spaceNeeded, (available ?? .max) >= needed { open[id]?.spaceNeeded = nil }
        case .woken, .appRelaunched, .appCameToFront, .relaunchAbandoned, .watched, .unwatched:
            break  // The rules for a single transfer do not depend on these events.
        }
    }

    private mutating func endAttempt(_ id: TransferID) {
        open[id]?.isRunning = false
        open[id]?.isStopping = false
        open[id]?.powerMissingSince = nil
        open[id]?.powerGoneSince = nil
    }

    private mutating func check(_ effect: Effect, at now: ClockReading, into faults: inout [String]) {
        switch effect {
        case .start(let id):
            guard let known = open[id] else { return faults.append("\(id) was started though it is not open") }
            if !mayStart(known, at: now) { faults.append("\(id) was started though it may not: \(known)") }
            if known.isCancelled { faults.append("\(id) was started though it is cancelled") }
            if known.isExpiring { faults.append("\(id) was started though its time was up") }
            if isStaggered(known.traits), !staggeredStart.started(at: now.instant, configuration) {
                faults.append("\(id) was started at the same moment as another, or as the machine came back")
            }
            if !hasSlot(for: known.traits) { faults.append("\(id) was started without a slot") }
            open[id]?.isRunning = true
        case .stop(let id):
            guard let known = open[id], known.isRunning, !known.isStopping else {
                return faults.append("\(id) was stopped though it does not run")
            }
            let gone = min(known.powerGoneSince ?? now.instant, conditions.power.since.instant)
            let hasNoPower =
                !hasPower(known, at: now)
                && gone.duration(to: now.instant) >= configuration.powerHysteresis
            if !known.isPaused, !known.isCancelled, !known.isExpiring, !isObstructed(known, at: now),
                hasTheRest(known.traits, at: now), !hasNoPower
            {
                faults.append("\(id) was stopped without a reason")
            }
            open[id]?.isStopping = true
        case .end(let id, let ending):
            if let known = open.removeValue(forKey: id) {
                if ending == .failed(.expired), !known.isExpiring, !isExpired(known, at: now) {
                    faults.append("\(id) was given up before its time")
                }
                delayedEnded(id, known.traits)
            } else {
                faults.append("\(id) ended though it is not open")
            }
            if !ended.insert(id).inserted { faults.append("\(id) ended twice") }
        case .saveRetry(let id, let retry):
            open[id]?.retry = retry
            open[id]?.backoffEnd = retry.map { now.instant(of: $0.until) }
        case .savePaused(let id, let isPaused):
            if open[id]?.isPaused != isPaused { faults.append("\(id) was saved as paused: \(isPaused)") }
        case .discard, .measureSpace, .explain, .wake, .saveRelaunchDelay, .saveStatistics, .reportDeadline:
            break  // No rule applies.
        }
    }

    private mutating func check(_ id: TransferID, _ known: Known, at now: ClockReading, into faults: inout [String]) {
        if isExpired(known, at: now) || known.isExpiring, !known.isStopping {
            faults.append("\(id) goes on though its time is up")
        }
        guard known.isRunning, !known.isStopping else {
            let mayHaveToWait = isStaggered(known.traits) && staggeredStart.mayBeClosed(at: now.instant)
            if mayStart(known, at: now), !known.isCancelled, hasSlot(for: known.traits), !mayHaveToWait {
                faults.append("\(id) may run and does not: \(known)")
            }
            return
        }
        if isObstructed(known, at: now) { faults.append("\(id) runs though it is held back: \(known)") }
        if !hasTheRest(known.traits, at: now) { faults.append("\(id) runs on what it may not") }
        guard !hasPower(known, at: now) else {
            open[id]?.powerMissingSince = nil
            open[id]?.powerGoneSince = nil
            return
        }
        let since = known.powerMissingSince ?? now.instant
        open[id]?.powerMissingSince = since
        open[id]?.powerGoneSince = known.powerGoneSince ?? min(now.instant, conditions.power.since.instant)
        if since.duration(to: now.instant) >= configuration.powerHysteresis {
            faults.append("\(id) runs past its grace")
        }
    }
}
