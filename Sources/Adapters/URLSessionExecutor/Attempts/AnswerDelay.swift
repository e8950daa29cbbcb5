// SPDX-License-Identifier: Apache-2.0
import LinuxKernel

/// Measures the time from an attempt's first request to its first final answer. The time is reported once.
///
/// All times are nanoseconds of `MonotonicTime`.
struct AnswerDelay {
    private var firstRequest: UInt64?
    private var isTold = false

    /// Records that a request is sent.
    mutating func asked(now: UInt64) { firstRequest = firstRequest ?? now }

    /// Returns the delay if `head` is the first answer that is not an interim answer; otherwise `nil`.
    mutating func answered(_ head: ResponseHead, now: UInt64) -> Duration? {
        guard !isTold, head.status >= 200 else { return nil }
        isTold = true
        return .nanoseconds(Int64(clamping: now - min(firstRequest ?? 0, now)))
    }
}
