// SPDX-License-Identifier: Apache-2.0
import Glibc

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
package enum BootIdentity {
    /// The kernel's id of this boot; empty where it cannot be read, which trusts recorded offsets only.
    package static let current: String = {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, Int32(line.count), file) != nil else { return "" }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.filter { !$0.isWhitespace }
    }()
}
