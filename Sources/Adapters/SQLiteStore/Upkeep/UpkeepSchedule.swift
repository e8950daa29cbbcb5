// SPDX-License-Identifier: Apache-2.0

/// Decides the time of upkeep: in idle time, or concurrently with the commits if there was no idle time for too long.
///
/// ```
/// commits   ||||  |                || ||| || |||| ||| || |||| ||| |||| ||| ||| |
/// upkeep          ..5 s..X         .........one day, or an hour.........X
/// ```
struct UpkeepSchedule: Sendable {
    /// The next step.
    enum Step: Hashable, Sendable {
        case none
        /// Begin upkeep, and call `ended(at:)` afterward.
        case begin
        /// Check again after this time.
        case checkAgain(Duration)
    }

    private enum Phase: Sendable {
        /// Nothing was committed since the last upkeep.
        case rested
        /// A check of the idle time is pending.
        case awaited
        /// Upkeep is running.
        case running(commitsSince: Bool)
    }

    private let idleTime: Duration
    private let interval: Duration
    private let secretsInterval: Duration
    private var phase = Phase.rested
    private var lastCommit: ContinuousClock.Instant
    private var lastUpkeep: ContinuousClock.Instant
    /// The time when the first secret in the backup ended, or `nil` if the backup contains no ended secret. Starts at
    /// the opening of the store, because the contents of the existing backup are unknown.
    private var firstSecret: ContinuousClock.Instant?
    /// Whether a secret has ended since the store was opened.
    private(set) var hasEndedSecrets = false

    /// - Parameters:
    ///   - idleTime: The time without commits after which upkeep begins.
    ///   - interval: The maximum time from the last upkeep to the next.
    ///   - secretsInterval: The maximum time from the end of a secret to the next upkeep.
    init(idleTime: Duration, interval: Duration, secretsInterval: Duration, now: ContinuousClock.Instant) {
        self.idleTime = idleTime
        self.interval = interval
        self.secretsInterval = secretsInterval
        (lastCommit, lastUpkeep, firstSecret) = (now, now, now)
    }

    private func isOverdue(at now: ContinuousClock.Instant) -> Bool {
        now - lastUpkeep >= interval || firstSecret.map { now - $0 >= secretsInterval } ?? false
    }

    /// Records a commit.
    mutating func committed(at now: ContinuousClock.Instant) -> Step {
        lastCommit = now
        if case .running = phase {
            phase = .running(commitsSince: true)
            return .none
        }
        if isOverdue(at: now) {
            phase = .running(commitsSince: false)
            return .begin
        }
        guard case .rested = phase else { return .none }
        phase = .awaited
        return .checkAgain(idleTime)
    }

    /// Checks whether the idle time has passed.
    mutating func checked(at now: ContinuousClock.Instant) -> Step {
        guard case .awaited = phase else { return .none }
        let rest = idleTime - (now - lastCommit)
        if rest > .zero { return .checkAgain(rest) }
        phase = .running(commitsSince: false)
        return .begin
    }

    /// Records the end of upkeep.
    mutating func ended(at now: ContinuousClock.Instant) -> Step {
        lastUpkeep = now
        guard case .running(commitsSince: true) = phase else {
            phase = .rested
            return .none
        }
        phase = .awaited
        return .checkAgain(idleTime)
    }

    /// Records that a secret has ended.
    mutating func secretsEnded(at now: ContinuousClock.Instant) {
        hasEndedSecrets = true
        firstSecret = firstSecret ?? now
    }

    /// Records again that ended secrets are still in a file. Call after a failed upkeep.
    mutating func restoreEndedSecrets(at now: ContinuousClock.Instant) { firstSecret = firstSecret ?? now }

    /// Resets the record of ended secrets, and returns whether secrets have ended since the last call.
    mutating func consumeEndedSecrets() -> Bool {
        defer { firstSecret = nil }
        return firstSecret != nil
    }
}
