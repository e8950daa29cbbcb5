// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Spreads bytes over time.
///
/// The caller waits, which holds the network back through the bounded queue.
struct RateLimiter {
    /// A wait is cut into steps no longer than this.
    static let longestStep: UInt64 = 50_000_000
    private let bytesPerSecond: UInt64
    private var due: UInt64 = 0
    private var remainder: UInt64 = 0

    init?(bytesPerSecond: Int64?) {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        self.bytesPerSecond = UInt64(bytesPerSecond)
    }

    /// Counts the bytes; returns when the next may be taken, in nanoseconds of the same clock.
    mutating func take(_ count: Int, now: UInt64) -> UInt64 {
        let (quotient, rest) = (UInt64(count) * 1_000_000_000 + remainder).quotientAndRemainder(
            dividingBy: bytesPerSecond)
        remainder = rest
        // A short pause of the server may be caught up, a long one not.
        due = max(due, now > Self.longestStep ? now - Self.longestStep : 0) + quotient
        return due
    }
}

/// The machine's clock that is never set.
enum MonotonicTime {
    /// Nanoseconds since some start.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Seconds since 1970.
    static func wallSeconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }
}

/// Names the time since the machine's last start.
enum BootIdentity {
    /// The kernel's id of this boot; empty where it cannot be read, which trusts recorded offsets only.
    static let current: String = {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, Int32(line.count), file) != nil else { return "" }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.filter { !$0.isWhitespace }
    }()
}
