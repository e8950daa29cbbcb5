// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

// The rules for apps, budgets, endings, and outages, as plainly as possible.

extension Oracle {
    /// The oracle's model of an app's relaunch limiter (R1–R6).
    struct App {
        var starts = 0
        var lastStart = Instant.zero
        /// The unfinished transfers that the limiter delayed, each with the time of its release.
        var held: [TransferID: Instant] = [:]
        /// A Boolean value that indicates whether the end of a delayed transfer launches the app.
        var awaitsStart = false

        /// The end of the current or latest delay.
        var periodEnd: Instant { lastStart.advanced(by: .seconds(min(60 << min(starts - 1, 20), 21_600))) }

        mutating func resetIfInactive(at now: Instant) {
            if starts > 0, held.isEmpty, !awaitsStart, periodEnd <= now { starts = 0 }
        }
    }

    /// The oracle's bounds of the random waits after an outage. Only the longest possible wait is known.
    struct StaggeredStart {
        /// The latest possible end of the current wait.
        private var latest: Instant?
        private var end: Instant?
        /// A time at which no background work starts, because the random wait is assumed never to be zero.
        private var notAt: Instant?
        private var hasConditions = true

        private static func isOffline(_ conditions: Conditions) -> Bool {
            conditions.sleep.value != .awake || conditions.network.value == .none
                || conditions.network.value == .portal
        }

        mutating func update(
            from old: Conditions, to new: Conditions, at now: Instant, _ configuration: SchedulerConfiguration
        ) {
            defer { hasConditions = true }
            if Self.isOffline(new) {
                (latest, end, notAt) = (nil, nil, nil)
            } else if Self.isOffline(old), hasConditions {
                end = now.advanced(by: configuration.staggeredStartPeriod)
                close(at: now, configuration)
            }
        }

        /// Starts a new process. The conditions at the start end no outage.
        mutating func forget() {
            self = StaggeredStart()
            hasConditions = false
        }

        private mutating func close(at now: Instant, _ configuration: SchedulerConfiguration) {
            latest = now.advanced(by: configuration.staggeredStartJitter)
            notAt = configuration.staggeredStartJitter > .zero ? now : nil
        }

        func mayBeClosed(at now: Instant) -> Bool { latest.map { now < $0 } ?? false }

        /// Records the start of background work. Returns whether the start is allowed, to the oracle's knowledge.
        mutating func started(at now: Instant, _ configuration: SchedulerConfiguration) -> Bool {
            guard let end, now < end else { return true }
            let isAllowed = notAt != now
            close(at: now, configuration)
            return isAllowed
        }
    }

    /// Returns whether admission control applies: no person waits for the transfer, and the transfer needs the
    /// network.
    func isStaggered(_ traits: TransferTraits) -> Bool { traits.kind != .userInitiated && !traits.isLoopback }

    func isExpired(_ known: Known, at now: ClockReading) -> Bool {
        known.traits.expires.map { $0 <= now.wall } ?? false
    }

    /// Returns whether something other than conditions prevents the transfer from starting and from continuing.
    func isObstructed(_ known: Known, at now: ClockReading) -> Bool {
        known.isHeld || known.hasNeed || isBudgetSpent(for: known.traits, at: now)
    }

    // MARK: Budgets

    private var isMetered: Bool {
        switch conditions.metered.value {
        case .yes, .guessYes: true
        case .no, .guessNo: false
        case .unknown: conditions.linkKind.value != .ethernet && conditions.linkKind.value != .wifi
        }
    }

    func isBudgetSpent(for traits: TransferTraits, at now: ClockReading) -> Bool {
        guard traits.kind != .userInitiated, !traits.isLoopback, isMetered else { return false }
        let applicable = [conditions.connection.value.flatMap { budgets.connections[$0] }, budgets.apps[traits.app]]
        return applicable.compactMap(\.self).contains { budget in
            let used = budget.used(at: now.wall, localTime: .utc)
            return used >= budget.limit || (traits.kind == .discretionary && 5 * used >= 4 * budget.limit)
        }
    }

    mutating func charge(_ id: TransferID, to bytes: Int64, at now: ClockReading) {
        guard let known = open[id], known.isRunning, !known.isStopping else { return }
        open[id]?.bytes = bytes
        guard bytes > known.bytes, isMetered, !known.traits.isLoopback else { return }
        try? budgets.charge(
            bytes - known.bytes, connection: conditions.connection.value, app: known.traits.app, at: now.wall,
            localTime: .utc)
    }

    // MARK: Apps

    mutating func updateApps(_ event: Event, at now: ClockReading) {
        for app in apps.keys { apps[app]?.resetIfInactive(at: now.instant) }
        switch event {
        case .appRelaunched(let app):
            apps[app, default: App()].starts += 1
            apps[app]?.lastStart = now.instant
            apps[app]?.awaitsStart = false
        case .appCameToFront(let app):
            for id in apps[app]?.held.keys.sorted() ?? [] { open[id]?.release = nil }
            apps[app] = nil
        case .relaunchAbandoned(let app): apps[app]?.awaitsStart = false
        case .submitted(let id, let traits):
            guard traits.isFromBackground == true, let app = apps[traits.app], app.starts > 0,
                now.instant < app.periodEnd
            else { return }
            apps[traits.app]?.held[id] = app.periodEnd
            open[id]?.release = app.periodEnd
        case .recovered(let id, let traits, _):
            // A recovered transfer waits as long as before, unless the user has changed it since.
            open[id]?.release = traits.isFromBackground == true ? apps[traits.app]?.held[id] : nil
        case .changed(let id, let traits):
            if traits.isFromBackground != true { open[id]?.release = nil }
        default: break  // The limiter ignores these events.
        }
        for app in apps.keys { apps[app]?.resetIfInactive(at: now.instant) }
    }

    /// Returns the delay of an app's background work, counted from the app's last launch.
    func delay(of app: String, at now: Instant) -> Duration {
        guard var known = apps[app] else { return .zero }
        known.resetIfInactive(at: now)
        return known.starts > 0 ? known.lastStart.duration(to: known.periodEnd) : .zero
    }

    /// Records the end of a transfer for the limiter that delayed the transfer. The last end of a session is to start
    /// the app.
    mutating func delayedEnded(_ id: TransferID, _ traits: TransferTraits) {
        guard apps[traits.app]?.held.removeValue(forKey: id) != nil else { return }
        let isLast = !open.values.contains { $0.traits.app == traits.app && $0.traits.session == traits.session }
        if isLast { apps[traits.app]?.awaitsStart = true }
    }
}
