// SPDX-License-Identifier: Apache-2.0
package import Glibc

/// The monotonic clock, which cannot be set.
package enum MonotonicTime {
    /// Returns the nanoseconds since an unspecified start.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(clamping: time.nanoseconds)
    }

    /// Returns a number of seconds in nanoseconds. Negative numbers become 0, and the result saturates, because the number
    /// may come from a setting or another program.
    package static func nanoseconds(ofSeconds seconds: Int) -> UInt64 {
        let (product, overflow) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : product
    }

    /// Returns the seconds since 1970 on the wall clock.
    package static func wallSeconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }
}

extension timespec {
    /// The time in nanoseconds. The value saturates, because a file may claim to be from the year 2400.
    package var nanoseconds: Int64 {
        let (product, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowOfSum) = product.addingReportingOverflow(Int64(tv_nsec))
        return overflow || overflowOfSum ? (tv_sec < 0 ? .min : .max) : sum
    }
}
