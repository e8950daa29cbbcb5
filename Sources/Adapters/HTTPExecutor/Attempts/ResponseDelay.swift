// SPDX-License-Identifier: Apache-2.0
import LinuxKernel

/// Measures the time from an attempt's first request to its first final response. The time is reported once.
///
/// All times are nanoseconds of `MonotonicTime`.
struct ResponseDelay {
    private var firstRequest: UInt64?
    private var isReported = false

    /// Records that a request is sent.
    mutating func requestSent(now: UInt64) { firstRequest = firstRequest ?? now }

    /// Returns the delay if `head` is the first response that is not an interim response; otherwise `nil`.
    mutating func headReceived(_ head: ResponseHead, now: UInt64) -> Duration? {
        guard !isReported, head.status >= 200 else { return nil }
        isReported = true
        return .nanoseconds(Int64(clamping: now - min(firstRequest ?? 0, now)))
    }
}
