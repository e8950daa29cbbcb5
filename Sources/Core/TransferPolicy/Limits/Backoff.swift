// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The wait after a failed attempt: exponential backoff with jitter.
///
/// The wait doubles from ``first`` to ``longest`` and is multiplied by a random factor of 1.0…1.5. The jitter spreads
/// the retries of many clients that failed together. A negative duration counts as zero.
///
/// ```swift
/// var generator = SystemRandomNumberGenerator()
/// let wait = Backoff.background.delay(attempt: 3, retryAfter: nil, using: &generator)  // 120 s … 180 s
/// ```
public struct Backoff: Hashable, Sendable {
    /// The wait after the first failure, before jitter.
    public var first: Duration
    /// The maximum wait, before jitter.
    public var longest: Duration
    /// The lower limit on a server's `Retry-After`. Shorter values are raised to this limit.
    public var shortestRetryAfter: Duration
    /// The upper limit on a server's `Retry-After`. Longer values are cut to this limit.
    public var longestRetryAfter: Duration

    /// Creates a backoff from its four durations.
    public init(first: Duration, longest: Duration, shortestRetryAfter: Duration, longestRetryAfter: Duration) {
        self.first = first
        self.longest = longest
        self.shortestRetryAfter = shortestRetryAfter
        self.longestRetryAfter = longestRetryAfter
    }

    /// The backoff of background work: 30 s doubling to 5 h, `Retry-After` within 30 s … 24 h.
    public static let background = Backoff(
        first: .seconds(30), longest: .seconds(5 * 3600), shortestRetryAfter: .seconds(30),
        longestRetryAfter: .seconds(24 * 3600))
    /// The backoff of work that a user waits for: 1 s doubling to 5 min, `Retry-After` within 1 s … 24 h.
    public static let userInitiated = Backoff(
        first: .seconds(1), longest: .seconds(300), shortestRetryAfter: .seconds(1),
        longestRetryAfter: .seconds(24 * 3600))

    /// The upper bound of all waits, including jitter and `Retry-After`.
    public var longestDelay: Duration { max(longestRetryAfter, longest + longest / 2, .zero) }

    /// Returns the wait after a failure without progress.
    ///
    /// - Parameters:
    ///   - attempt: The number of consecutive failures without progress. The first failure is 1.
    ///   - retryAfter: The wait that the server requested. It counts if it is longer than the backoff.
    ///   - generator: The source of the jitter.
    public func delay(
        attempt: Int, retryAfter: Duration?, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        // A first delay of practical length, times 2^40, exceeds any maximum, so a larger exponent changes nothing.
        let doublings = min(max(attempt, 1) - 1, 40)
        let doubled = first.wholeNanoseconds.multipliedSaturating(by: Int64(1) << Int64(doublings))
        let base = max(min(doubled, longest.wholeNanoseconds), 0)
        // Base × (1000…1500) ⁄ 1000. The division comes first, because the product could overflow.
        let perMille = Int64(Int.random(in: 0...500, using: &generator))
        let jittered = base.addingSaturating((base / 1000).multipliedSaturating(by: perMille))
        guard let retryAfter else { return .nanoseconds(jittered) }
        let asked = min(max(retryAfter, shortestRetryAfter), longestRetryAfter)
        return max(.nanoseconds(jittered), asked)
    }
}

/// The stored state of a transfer whose attempts fail without progress.
public struct RetryState: Hashable, Sendable, Codable {
    /// The number of failures since the last progress.
    public var attempts: Int
    /// The cause of the last failure.
    public var cause: FailureCause
    /// The date of the next attempt.
    public var until: WallTime
    /// The largest number of bytes that any attempt ever had, or `nil` if none was recorded. Fetching these bytes
    /// again is no progress.
    public var mostBytes: Int64?
    /// The time spent on attempts and waits since the last new byte, or `nil` if none was recorded.
    public var timeWithoutProgress: Duration?

    private enum CodingKeys: String, CodingKey {
        case attempts, cause, until, mostBytes
        case timeWithoutProgress = "barren"
    }

    /// Creates a retry state.
    public init(
        attempts: Int, cause: FailureCause, until: WallTime, mostBytes: Int64? = nil,
        timeWithoutProgress: Duration? = nil
    ) {
        self.timeWithoutProgress = timeWithoutProgress
        self.mostBytes = mostBytes
        self.attempts = attempts
        self.cause = cause
        self.until = until
    }

    /// Decodes a stored state. Impossible numbers are clamped to their range, so that later additions are safe.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        attempts = min(max(try container.decode(Int.self, forKey: .attempts), 0), 1_000_000)
        cause = try container.decode(FailureCause.self, forKey: .cause)
        until = try container.decode(WallTime.self, forKey: .until)
        mostBytes = try container.decodeIfPresent(Int64.self, forKey: .mostBytes).map { max($0, 0) }
        timeWithoutProgress = try container.decodeIfPresent(Duration.self, forKey: .timeWithoutProgress).map {
            max($0, .zero)
        }
    }
}
