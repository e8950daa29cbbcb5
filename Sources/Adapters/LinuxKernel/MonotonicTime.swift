// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The monotonic clock, which cannot be set.
package enum MonotonicTime {
    /// Returns the nanoseconds since an unspecified start.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Returns the seconds since 1970 on the wall clock.
    package static func wallSeconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }
}
