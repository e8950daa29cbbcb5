// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

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
