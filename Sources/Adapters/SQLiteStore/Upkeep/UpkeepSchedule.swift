// SPDX-License-Identifier: Apache-2.0

/// When upkeep is done: in idle time, or beside the commits where there was none for too long.
///
/// ```
/// commits   ||||  |                || ||| || |||| ||| || |||| ||| |||| ||| ||| |
/// upkeep          ..5 s..X         .........one day, or an hour.........X
/// ```
struct UpkeepSchedule: Sendable {
    /// What is to be done now.
    enum Step: Hashable, Sendable {
        case none
        /// Begin, and tell of the end.
        case begin
        /// Look again after that time.
        case lookAgain(Duration)
    }

    private enum Phase: Sendable {
        /// Nothing was committed since the last upkeep.
        case rested
        /// A look is on its way.
        case awaited
        /// Upkeep runs.
        case running(commitsSince: Bool)
    }

    private let idleTime: Duration
    private let interval: Duration
    private let secretsInterval: Duration
    private var phase = Phase.rested
    private var lastCommit: ContinuousClock.Instant
    private var lastUpkeep: ContinuousClock.Instant
    /// When the first secret ended that the backup may have; nil where it has none. Nobody knows that of the backup that
    /// is found at the start.
    private var firstSecret: ContinuousClock.Instant?
    /// Whether a secret has ended since the store was opened.
    private(set) var hasEndedSecrets = false

    /// - Parameters:
    ///   - idleTime: how long nothing was committed before upkeep begins.
    ///   - interval: how long after the last upkeep it begins at the latest.
    ///   - secretsInterval: how long after the end of a secret it begins at the latest.
    init(idleTime: Duration, interval: Duration, secretsInterval: Duration, now: ContinuousClock.Instant) {
        self.idleTime = idleTime
        self.interval = interval
        self.secretsInterval = secretsInterval
        (lastCommit, lastUpkeep, firstSecret) = (now, now, now)
    }

    private func isOverdue(at now: ContinuousClock.Instant) -> Bool {
        now - lastUpkeep >= interval || firstSecret.map { now - $0 >= secretsInterval } ?? false
    }

    /// Something was committed.
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
        return .lookAgain(idleTime)
    }

    /// The time has come to look.
    mutating func looked(at now: ContinuousClock.Instant) -> Step {
        guard case .awaited = phase else { return .none }
        let rest = idleTime - (now - lastCommit)
        if rest > .zero { return .lookAgain(rest) }
        phase = .running(commitsSince: false)
        return .begin
    }

    /// Upkeep has ended.
    mutating func ended(at now: ContinuousClock.Instant) -> Step {
        lastUpkeep = now
        guard case .running(commitsSince: true) = phase else {
            phase = .rested
            return .none
        }
        phase = .awaited
        return .lookAgain(idleTime)
    }

    /// A secret has ended.
    mutating func secretsEnded(at now: ContinuousClock.Instant) {
        hasEndedSecrets = true
        firstSecret = firstSecret ?? now
    }

    /// Secrets that were taken as ended still are in a file.
    mutating func putBackEndedSecrets(at now: ContinuousClock.Instant) { firstSecret = firstSecret ?? now }

    /// Whether secrets have ended since this was asked last.
    mutating func takeEndedSecrets() -> Bool {
        defer { firstSecret = nil }
        return firstSecret != nil
    }
}
