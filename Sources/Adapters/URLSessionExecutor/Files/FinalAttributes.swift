// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Mode and time of a finished file.
enum FinalAttributes {
    /// Gives the file the mode new files have, and a modification time where one is given.
    static func apply(to descriptor: Int32, path: String, modified: Int64?) throws(FileFailure) {
        do {
            try calling("set the mode of", path) { Int(fchmod(descriptor, 0o666 & ~Self.umask)) }
            if let modified {
                let time = timespec(
                    tv_sec: Int(modified / 1_000_000_000), tv_nsec: Int(modified % 1_000_000_000))
                let times = [timespec(tv_sec: 0, tv_nsec: Int((1 << 30) - 2)), time]
                try calling("set the time of", path) { Int(futimens(descriptor, times)) }
            }
        } catch  where error.code == EPERM || error.code == EOPNOTSUPP || error.code == EINVAL {
            // File systems without modes (FAT, some shares) keep their own.
        }
    }

    /// The date in nanoseconds since 1970; nil where it is none, or one that no file can have.
    static func nanoseconds(_ date: String) -> Int64? {
        guard let seconds = HTTPDate.seconds(date) else { return nil }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? nil : product
    }

    /// The process's umask when it was first asked for, read without changing it.
    ///
    /// Kept, because the kernel writes a page of text for it, and thousands of small files have the same.
    static let umask: mode_t = {
        guard let file = fopen("/proc/self/status", "re") else { return 0o022 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("Umask:") else { continue }
            return mode_t(text.dropFirst(6).filter { $0.isNumber }, radix: 8) ?? 0o022
        }
        return 0o022
    }()
}
