// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A limiter that keeps the transfers of one app from launching the app repeatedly.
///
/// Each launch by the daemon doubles the delay of the background work that the app submits afterwards. There is one
/// limiter per app. The limiter does not distinguish sessions or transfers, so an app cannot shorten the delay. A
/// canceled task, a restarted task, and a task in another session all get the same delay. The delay is measured from
/// the launch of the app, not from the task.
///
/// The limiter is a value on the boot-time clock, so setting the wall clock has no effect. A ``Record`` stores the
/// limiter across restarts. The limiter computes all effects of time on demand and needs no timer. Pass instants in
/// order; an instant that goes back does not move the start of a delay back.
///
/// ```swift
/// var limiter = RelaunchLimiter()
/// limiter.relaunched(at: now)
/// let delay = limiter.taskStartedInBackground(at: now)
/// delay.flatMap { limiter.release(of: $0) }  // 60 s after `now`
/// ```
///
/// ## Topics
///
/// - ``relaunched(at:)``
/// - ``taskStartedInBackground(at:)``
/// - ``delayedTaskEnded(_:causesRelaunch:at:)``
/// - ``foregrounded(at:)``
public struct RelaunchLimiter: Hashable, Sendable {
    /// The relaunch delay of one background task, stored with the task.
    ///
    /// A later launch of the app does not change a task's relaunch delay. Only work submitted after that launch waits
    /// longer.
    public struct RelaunchDelay: Hashable, Sendable, Codable {
        /// The number of the launch after which the task was submitted.
        public let relaunch: Int64

        /// Creates the relaunch delay of tasks submitted after the launch with this number, to restore a stored task.
        public init(relaunch: Int64) { self.relaunch = relaunch }
    }

    /// The unfinished tasks that were delayed after the same launch of the app.
    struct Cohort: Hashable, Sendable {
        var relaunch: Int64
        var release: Instant
        var unfinished: Int
    }

    /// The settings of the limiter.
    public let configuration: RelaunchLimiterConfiguration
    /// The number of launches since the delay was last 0.
    var relaunches = 0
    /// The number of the last launch. Numbers are never reused, so a relaunch delay never matches a later launch.
    var lastNumber: Int64 = 0
    /// The time of the last launch. Without meaning while `relaunches` is 0.
    var lastRelaunch: Instant = .zero
    /// The groups of delayed tasks, oldest first. There is one group per launch with unfinished tasks, usually one or
    /// two.
    var cohorts: [Cohort] = []
    /// A Boolean value that indicates whether a delayed task's end will launch the app. The launch has not been
    /// counted yet.
    var expectsRelaunch = false

    /// Creates a limiter whose delay is 0.
    public init(configuration: RelaunchLimiterConfiguration = RelaunchLimiterConfiguration()) {
        self.configuration = configuration
    }

    // MARK: Events

    /// Records that the daemon launched the app or woke it in the background. The delay grows and starts now (R1).
    ///
    /// Do not call this method for events that reach an app in the foreground.
    public mutating func relaunched(at now: Instant) {
        resetIfInactive(at: now)
        lastRelaunch = relaunches == 0 ? now : max(now, lastRelaunch)
        relaunches = relaunches == .max ? .max : relaunches + 1
        lastNumber &+= 1
        expectsRelaunch = false
    }

    /// Records the start of a task (its first `resume()`) while the app is in the background (R2).
    ///
    /// - Returns: The task's relaunch delay, or `nil` if the task may begin immediately.
    public mutating func taskStartedInBackground(at now: Instant) -> RelaunchDelay? {
        resetIfInactive(at: now)
        guard relaunches > 0, now < periodEnd else { return nil }
        if cohorts.last?.relaunch == lastNumber {
            cohorts[cohorts.count - 1].unfinished += 1
        } else {
            cohorts.append(Cohort(relaunch: lastNumber, release: periodEnd, unfinished: 1))
        }
        return RelaunchDelay(relaunch: lastNumber)
    }

    /// Records that a delayed task has ended: finished, failed, or canceled (R4).
    ///
    /// Call this method once per task.
    ///
    /// - Parameters:
    ///   - relaunchDelay: The relaunch delay of the task.
    ///   - causesRelaunch: A Boolean value that indicates whether the end launches the app. The delay then stays until
    ///     ``relaunched(at:)`` counts the launch, or ``relaunchAbandoned(at:)`` reports that there will be none.
    ///   - now: The current time.
    public mutating func delayedTaskEnded(_ relaunchDelay: RelaunchDelay, causesRelaunch: Bool, at now: Instant) {
        resetIfInactive(at: now)
        guard let index = cohorts.lastIndex(where: { $0.relaunch == relaunchDelay.relaunch }) else { return }
        cohorts[index].unfinished -= 1
        if cohorts[index].unfinished <= 0 { cohorts.remove(at: index) }
        if causesRelaunch { expectsRelaunch = true }
        resetIfInactive(at: now)
    }

    /// Records that the launch expected after a delayed task's end will not happen.
    ///
    /// The events reached the app in another way, or the session no longer exists.
    public mutating func relaunchAbandoned(at now: Instant) {
        expectsRelaunch = false
        resetIfInactive(at: now)
    }

    /// Records that the user brought the app to the foreground. The delay becomes 0, and all tasks are released (R3).
    ///
    /// From now on, the delayed tasks count as started in the foreground.
    public mutating func foregrounded(at now: Instant) { reset() }

    // MARK: Answers

    /// Returns the delay at `now`, or zero if the period has ended and no delayed task can launch the app.
    public func delay(at now: Instant) -> Duration {
        isInactive(at: now) ? .zero : configuration.delay(afterRelaunches: relaunches)
    }

    /// Returns the moment at which a task with this relaunch delay may begin, or `nil` if the task has been released.
    public func release(of relaunchDelay: RelaunchDelay) -> Instant? {
        cohorts.last { $0.relaunch == relaunchDelay.relaunch }?.release
    }

    /// Returns whether a task with this relaunch delay must still wait.
    public func isDelayed(_ relaunchDelay: RelaunchDelay, at now: Instant) -> Bool {
        release(of: relaunchDelay).map { now < $0 } ?? false
    }

    /// Returns the next moment after `now` at which time alone releases tasks or ends the delay, or `nil` if there is
    /// none.
    public func nextChange(after now: Instant) -> Instant? {
        var moments = cohorts.map(\.release)
        if relaunches > 0, cohorts.isEmpty, !expectsRelaunch { moments.append(periodEnd) }
        return moments.filter { $0 > now }.min()
    }

    /// Returns the next moment after `now` at which waiting tasks are released. A scheduler must wake at this moment.
    public func nextRelease(after now: Instant) -> Instant? { cohorts.map(\.release).filter { $0 > now }.min() }

    // MARK: Period

    /// The end of the current or the last delay.
    var periodEnd: Instant { lastRelaunch.advanced(by: configuration.delay(afterRelaunches: relaunches)) }

    /// Returns whether the period has ended and no delayed task can still launch the app.
    private func isInactive(at now: Instant) -> Bool {
        relaunches == 0 || (cohorts.isEmpty && !expectsRelaunch && now >= periodEnd)
    }

    /// Resets the limiter if its delay is 0 at `now`.
    mutating func resetIfInactive(at now: Instant) {
        if isInactive(at: now) { reset() }
    }

    private mutating func reset() {
        relaunches = 0
        lastRelaunch = .zero
        cohorts = []
        expectsRelaunch = false
    }
}

/// The settings of a ``RelaunchLimiter``.
///
/// ```swift
/// var configuration = RelaunchLimiterConfiguration()
/// configuration.first = .seconds(30)
/// ```
public struct RelaunchLimiterConfiguration: Hashable, Sendable {
    /// The delay after the first launch of the app. The default is 60 s. A negative value means no delay.
    public var first: Duration = .seconds(60)
    /// The maximum delay. The default is 6 h. A negative value means no delay.
    public var longest: Duration = .seconds(6 * 3600)

    /// Creates settings with the default values.
    public init() {}

    /// Returns the delay after a number of launches: 0 for none, then ``first``, doubling up to ``longest``.
    public func delay(afterRelaunches relaunches: Int) -> Duration {
        guard relaunches > 0 else { return .zero }
        // A delay of at least 1 ns, times 2^62, exceeds any practical maximum.
        let doubled = first.wholeNanoseconds.multipliedSaturating(by: Int64(1) << Int64(min(relaunches - 1, 62)))
        return .nanoseconds(max(min(doubled, longest.wholeNanoseconds), 0))
    }
}
