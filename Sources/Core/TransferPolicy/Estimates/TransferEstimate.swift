// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// An estimate of the time that a transfer needs from its start to its end.
///
/// The estimate consists of the missing bytes, the bytes of other work with the same or an earlier deadline, and the
/// rate of the connection. Each part states its basis. A part that nobody knows is assumed cautiously.
///
/// ```swift
/// let estimate = TransferEstimate(bytes: 2_000_000_000, sizeBasis: .expected, rate: 2_500_000, rateBasis: .connection)
/// estimate.latestStart(before: deadline)  // 20 minutes before the deadline
/// ```
public struct TransferEstimate: Hashable, Sendable {
    /// The origin of ``bytes``.
    public enum SizeBasis: String, Hashable, Sendable, CaseIterable {
        /// The server reported the size.
        case reported
        /// The caller stated the size at submission.
        case expected
        /// The size is unknown, and ``TransferEstimate/assumedBytes`` is assumed.
        case assumed
    }

    /// The origin of ``rate``.
    public enum RateBasis: String, Hashable, Sendable, CaseIterable {
        /// The rate of the transfer itself in an earlier attempt.
        case transfer
        /// The rate that the current connection has shown.
        case connection
        /// A limit on the rate, which is below every other known rate.
        case limit
        /// No rate is known, and ``TransferEstimate/assumedRate`` is assumed.
        case assumed
    }

    /// The size that is assumed if nobody knows it, in bytes: 64 MB.
    public static let assumedBytes: Int64 = 64_000_000
    /// The rate that is assumed on a connection that has not been measured, in bytes per second: a slow mobile
    /// network's rate.
    public static let assumedRate: Int64 = 625_000
    /// The factor between ``need`` and ``duration``.
    public static let margin = 1.5

    /// The number of bytes that are still missing.
    public var bytes: Int64
    /// The origin of ``bytes``.
    public var sizeBasis: SizeBasis
    /// The rate in bytes per second, at least 1.
    public var rate: Int64
    /// The origin of ``rate``.
    public var rateBasis: RateBasis
    /// The bytes of other discretionary work whose deadline is not later.
    public var backlog: Int64
    /// The rate of the ``backlog`` in bytes per second, at least 1. A transfer that is slow itself, such as one with a
    /// limit of its own, does not slow down the work before it.
    public var backlogRate: Int64

    /// Creates an estimate. Negative sizes become 0, and rates are raised to 1. Without a `backlogRate`, the backlog has
    /// the same `rate`.
    public init(
        bytes: Int64, sizeBasis: SizeBasis, rate: Int64, rateBasis: RateBasis, backlog: Int64 = 0,
        backlogRate: Int64? = nil
    ) {
        (self.bytes, self.sizeBasis) = (max(0, bytes), sizeBasis)
        (self.rate, self.rateBasis) = (max(1, rate), rateBasis)
        (self.backlog, self.backlogRate) = (max(0, backlog), max(1, backlogRate ?? rate))
    }

    /// The expected time from the start to the end, without a margin.
    public var need: Duration { Duration(clampingSeconds: seconds) }

    /// The time to reserve: ``need`` times ``margin``.
    public var duration: Duration { Duration(clampingSeconds: seconds * Self.margin) }

    /// The confidence in the estimate: `reported` if size and rate are known, and `assumed` otherwise.
    public var confidence: Confidence { sizeBasis == .assumed || rateBasis == .assumed ? .assumed : .reported }

    /// Returns the latest start that meets a deadline with the usual margin.
    public func latestStart(before deadline: WallTime) -> WallTime { deadline.advanced(by: .zero - duration) }

    /// The seconds from start to end, without a margin.
    var seconds: Double { Double(bytes) / Double(rate) + Double(backlog) / Double(backlogRate) }
}
