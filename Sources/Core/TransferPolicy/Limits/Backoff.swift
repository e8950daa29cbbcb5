// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// How long to wait after a failed attempt: doubling from a first delay to a longest, times 1.0…1.5 by chance.
///
/// A negative duration counts as none.
///
/// The jitter spreads many clients that failed together (exponential backoff with jitter).
public struct Backoff: Hashable, Sendable {
    /// The wait after the first failure, before jitter.
    public var first: Duration
    /// The longest wait, before jitter.
    public var longest: Duration
    /// The least wait that a server's `Retry-After` is cut to.
    public var shortestRetryAfter: Duration
    /// The longest wait that a server's `Retry-After` is cut to.
    public var longestRetryAfter: Duration

    /// A rule from its four durations.
    public init(first: Duration, longest: Duration, shortestRetryAfter: Duration, longestRetryAfter: Duration) {
        self.first = first
        self.longest = longest
        self.shortestRetryAfter = shortestRetryAfter
        self.longestRetryAfter = longestRetryAfter
    }

    /// Background work: 30 s doubling to 5 h; `Retry-After` within 30 s … 24 h.
    public static let background = Backoff(
        first: .seconds(30), longest: .seconds(5 * 3600), shortestRetryAfter: .seconds(30),
        longestRetryAfter: .seconds(24 * 3600))
    /// A person waits: 1 s doubling to 5 min; `Retry-After` within 1 s … 24 h.
    public static let userInitiated = Backoff(
        first: .seconds(1), longest: .seconds(300), shortestRetryAfter: .seconds(1),
        longestRetryAfter: .seconds(24 * 3600))

    /// No delay is longer than this.
    public var longestDelay: Duration { max(longestRetryAfter, longest + longest / 2, .zero) }

    /// The wait after the `attempt`-th failure without progress (1 is the first).
    ///
    /// - Parameter retryAfter: what the server asked for; it counts when longer.
    public func delay(
        attempt: Int, retryAfter: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        // 2^40 × any first delay is above any longest one, so a larger exponent changes nothing.
        let doublings = min(max(attempt, 1) - 1, 40)
        let doubled = first.wholeNanoseconds.multipliedSaturating(by: Int64(1) << Int64(doublings))
        let base = max(min(doubled, longest.wholeNanoseconds), 0)
        // Base × (1000…1500) ⁄ 1000, divided first: the product could overflow.
        let perMille = Int64(Int.random(in: 0...500, using: &generator))
        let jittered = base.addingSaturating((base / 1000).multipliedSaturating(by: perMille))
        guard let retryAfter else { return .nanoseconds(jittered) }
        let asked = min(max(retryAfter, shortestRetryAfter), longestRetryAfter)
        return max(.nanoseconds(jittered), asked)
    }
}

/// Failed attempts without progress, as the store keeps them.
public struct RetryState: Hashable, Sendable, Codable {
    /// How many there were since the last progress.
    public var attempts: Int
    /// Why the last one failed.
    public var cause: FailureCause
    /// When the next one is due.
    public var until: WallTime
    /// The most bytes that any attempt ever had: fetching those again is no progress. Nil where none was recorded.
    public var mostBytes: Int64?
    /// How long attempts and the waits after them have gone on without one new byte. Nil where none was recorded.
    public var barren: Duration?

    /// A state.
    public init(
        attempts: Int, cause: FailureCause, until: WallTime, mostBytes: Int64? = nil, barren: Duration? = nil
    ) {
        self.barren = barren
        self.mostBytes = mostBytes
        self.attempts = attempts
        self.cause = cause
        self.until = until
    }

    /// A state from its stored form; numbers that cannot be are held to what can, so that one may count on.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        attempts = min(max(try container.decode(Int.self, forKey: .attempts), 0), 1_000_000)
        cause = try container.decode(FailureCause.self, forKey: .cause)
        until = try container.decode(WallTime.self, forKey: .until)
        mostBytes = try container.decodeIfPresent(Int64.self, forKey: .mostBytes).map { max($0, 0) }
        barren = try container.decodeIfPresent(Duration.self, forKey: .barren).map { max($0, .zero) }
    }
}
