// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The identity of the time since the machine's last start.
package enum BootIdentity {
    /// The kernel's id of this boot, read once per process; empty if it cannot be read.
    package static let current = id(in: "/proc/sys/kernel/random/boot_id")

    /// Returns the first word of the file at `path`; empty if the file cannot be read (no /proc in a sandbox).
    package static func id(in path: String) -> String {
        var line = [UInt8](repeating: 0, count: 128)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        let count = descriptor >= 0 ? read(descriptor, &line, line.count) : 0
        return String(decoding: line.prefix(max(0, count)).prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
