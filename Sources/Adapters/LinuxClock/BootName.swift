// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Names the time since the machine's last start.
enum BootName {
    /// The kernel's name of this boot, read once for the process.
    static let current = name(in: "/proc/sys/kernel/random/boot_id")

    /// The first word of the file at `path`.
    ///
    /// Where there is none (no /proc in a sandbox) a name that nobody else has: what an earlier process kept then counts
    /// as of another boot, of which only the wall clock can tell, and nothing is taken for being on this clock.
    static func name(in path: String) -> String {
        var line = [UInt8](repeating: 0, count: 128)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        let count = descriptor >= 0 ? read(descriptor, &line, line.count) : 0
        let word = line.prefix(max(0, count)).prefix { $0 > 0x20 }
        return word.isEmpty ? "unnamed-\(UInt64.random(in: .min ... .max))" : String(decoding: word, as: UTF8.self)
    }
}
