// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The relaunch limiter's settings.
public struct RelaunchLimiterConfiguration: Hashable, Sendable {
    /// The delay after the first start of the app. Default 60 s; a negative one counts as none.
    public var first: Duration = .seconds(60)
    /// The longest delay. Default 6 h; a negative one counts as none.
    public var longest: Duration = .seconds(6 * 3600)

    /// The defaults.
    public init() {}

    /// The delay after so many starts: 0, then the first, doubling up to the longest.
    public func delay(afterRelaunches relaunches: Int) -> Duration {
        guard relaunches > 0 else { return .zero }
        // 2^62 times any delay is above any longest one.
        let doubled = first.wholeNanoseconds.multipliedSaturating(by: Int64(1) << Int64(min(relaunches - 1, 62)))
        return .nanoseconds(max(min(doubled, longest.wholeNanoseconds), 0))
    }
}
