// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Keeps one app from being started over and over by its own transfers.
///
/// Each start of the app by us doubles the delay that background work given afterwards waits. There is one limiter per
/// app, and it takes neither sessions nor transfers: cancelling a task, starting it again or giving it to a session of
/// another name leads to the same delay, which is counted from the start of the app and not from the task.
///
/// A value on the boot-time clock, so that setting the wall clock does nothing to it. What is kept across restarts is a
/// ``Record``. Everything that time alone changes is worked out when asked for; no call is needed for it. Instants are
/// expected in order; one that goes back does not move the start of a delay back.
///
/// ## Topics
/// - ``relaunched(at:)``
/// - ``taskStartedInBackground(at:)``
/// - ``heldTaskEnded(_:causesRelaunch:at:)``
/// - ``foregrounded(at:)``
public struct RelaunchLimiter: Hashable, Sendable {
    /// What a background task was given that has to wait; kept with the task.
    ///
    /// It stays what it is when the app is started again meanwhile: only work given after that start waits longer.
    public struct Hold: Hashable, Sendable, Codable {
        /// The number of the start after which the task was given.
        public let relaunch: Int64

        /// The hold of the tasks given after the start with that number; used when a saved task is read back.
        public init(relaunch: Int64) { self.relaunch = relaunch }
    }

    /// The tasks that were held after one start of the app, and are not finished.
    struct Cohort: Hashable, Sendable {
        var relaunch: Int64
        var release: Instant
        var unfinished: Int
    }

    /// The settings.
    public let configuration: RelaunchLimiterConfiguration
    /// Starts counted since the delay was 0.
    var relaunches = 0
    /// Numbers every start there ever was, so that no hold fits a later one.
    var lastNumber: Int64 = 0
    /// When the last one was; means nothing while `relaunches` is 0.
    var lastRelaunch: Instant = .zero
    /// Oldest first; their number is that of starts whose held tasks are still unfinished, one or two in practice.
    var cohorts: [Cohort] = []
    /// Whether the end of a held task will start the app, which has not been counted yet.
    var expectsRelaunch = false

    /// A limiter whose delay is 0.
    public init(configuration: RelaunchLimiterConfiguration = RelaunchLimiterConfiguration()) {
        self.configuration = configuration
    }

    // MARK: Events

    /// We started the app, or woke it in the background: the delay grows, and counts from now (R1).
    ///
    /// Not for events that reach an app in front.
    public mutating func relaunched(at now: Instant) {
        settle(at: now)
        lastRelaunch = relaunches == 0 ? now : max(now, lastRelaunch)
        relaunches = relaunches == .max ? .max : relaunches + 1
        lastNumber &+= 1
        expectsRelaunch = false
    }

    /// A task was started (its first `resume()`) while the app is in the background: gives back its hold, or nil where
    /// it may begin at once (R2).
    public mutating func taskStartedInBackground(at now: Instant) -> Hold? {
        settle(at: now)
        guard relaunches > 0, now < periodEnd else { return nil }
        if cohorts.last?.relaunch == lastNumber {
            cohorts[cohorts.count - 1].unfinished += 1
        } else {
            cohorts.append(Cohort(relaunch: lastNumber, release: periodEnd, unfinished: 1))
        }
        return Hold(relaunch: lastNumber)
    }

    /// A task that got a hold has ended in any way: finished, failed or cancelled (R4).
    ///
    /// To be called once per task.
    /// - Parameter causesRelaunch: whether the app is to be started because of it. The delay then stays until
    ///   ``relaunched(at:)`` has counted that, or ``relaunchAbandoned(at:)`` says that it will not come.
    public mutating func heldTaskEnded(_ hold: Hold, causesRelaunch: Bool, at now: Instant) {
        settle(at: now)
        guard let index = cohorts.lastIndex(where: { $0.relaunch == hold.relaunch }) else { return }
        cohorts[index].unfinished -= 1
        if cohorts[index].unfinished <= 0 { cohorts.remove(at: index) }
        if causesRelaunch { expectsRelaunch = true }
        settle(at: now)
    }

    /// The start that the end of a held task was to cause will not come: its events reached the app otherwise, or its
    /// session is gone.
    public mutating func relaunchAbandoned(at now: Instant) {
        expectsRelaunch = false
        settle(at: now)
    }

    /// The user brought the app to the front: the delay is 0 and every hold is void (R3).
    ///
    /// Tasks that were held count from here on as if started in front.
    public mutating func foregrounded(at now: Instant) { reset() }

    // MARK: Answers

    /// The delay at `now`; zero once its period has passed quietly.
    public func delay(at now: Instant) -> Duration {
        isQuiet(at: now) ? .zero : configuration.delay(afterRelaunches: relaunches)
    }

    /// When the task with this hold may begin; nil where nothing holds it any longer, whatever the time.
    public func release(of hold: Hold) -> Instant? {
        cohorts.last { $0.relaunch == hold.relaunch }?.release
    }

    /// Whether a task with this hold must still wait.
    public func isHeld(_ hold: Hold, at now: Instant) -> Bool { release(of: hold).map { now < $0 } ?? false }

    /// The next moment after `now` at which time alone frees tasks or ends the delay; nil where none does.
    public func nextChange(after now: Instant) -> Instant? {
        var moments = cohorts.map(\.release)
        if relaunches > 0, cohorts.isEmpty, !expectsRelaunch { moments.append(periodEnd) }
        return moments.filter { $0 > now }.min()
    }

    /// The next moment after `now` at which tasks that wait are freed: what a scheduler has to wake for.
    public func nextRelease(after now: Instant) -> Instant? { cohorts.map(\.release).filter { $0 > now }.min() }

    // MARK: Period

    /// The end of the delay that runs or ran.
    var periodEnd: Instant { lastRelaunch.advanced(by: configuration.delay(afterRelaunches: relaunches)) }

    /// Whether the delay's period has passed, and nothing that it held may yet start the app.
    private func isQuiet(at now: Instant) -> Bool {
        relaunches == 0 || (cohorts.isEmpty && !expectsRelaunch && now >= periodEnd)
    }

    /// Writes down that the delay is 0, where it is.
    mutating func settle(at now: Instant) {
        if isQuiet(at: now) { reset() }
    }

    private mutating func reset() {
        relaunches = 0
        lastRelaunch = .zero
        cohorts = []
        expectsRelaunch = false
    }
}
