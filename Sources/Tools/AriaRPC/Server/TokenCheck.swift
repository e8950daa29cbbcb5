// SPDX-License-Identifier: Apache-2.0

/// Checks the token of calls. Every check waits while too many tokens were wrong, so that nobody can guess quickly.
///
/// A right token waits, too: an answer that only wrong tokens have to wait for would tell them apart at once. An
/// attacker therefore delays others, by at most a few seconds because the number of connections is limited.
actor TokenCheck {
    /// The maximum number of wrong tokens in a second.
    static let wrongPerSecond = 10

    private let token: [UInt8]
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Duration
    /// The times of the latest wrong tokens, oldest first.
    private var wrong: [Duration] = []

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - token: The right token.
    ///   - clock: The clock for delays.
    init<Time: Clock<Duration>>(_ token: String, clock: Time = ContinuousClock()) {
        self.token = Array(token.utf8)
        self.clock = clock
        let start = clock.now
        now = { start.duration(to: clock.now) }
    }

    /// Returns whether a token is right.
    func isRight(_ candidate: String) async -> Bool {
        while let oldest = delayingTime { try? await clock.sleep(for: oldest + .seconds(1) - now()) }
        guard Self.areEqual(Array(candidate.utf8), token) else {
            wrong = wrong.suffix(Self.wrongPerSecond - 1) + [now()]
            return false
        }
        return true
    }

    /// The time of the oldest wrong token, if it belongs to the last second and no further token may be checked.
    private var delayingTime: Duration? {
        guard wrong.count == Self.wrongPerSecond, let oldest = wrong.first, now() - oldest < .seconds(1) else {
            return nil
        }
        return oldest
    }

    /// Compares two texts in a time that does not depend on where they differ.
    private static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        return zip(first, second).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
