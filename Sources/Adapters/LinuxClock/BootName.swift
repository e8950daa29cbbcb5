// SPDX-License-Identifier: Apache-2.0
import LinuxKernel

/// Names the time since the machine's last start.
enum BootName {
    /// The kernel's name of this boot.
    static let current = name(for: BootIdentity.current)

    /// The name that the file at `path` gives.
    static func name(in path: String) -> String { name(for: BootIdentity.id(in: path)) }

    /// Without an id, a name that nobody else has: what an earlier process kept then counts as of another boot, of
    /// which only the wall clock can tell, and nothing is taken for being on this clock.
    private static func name(for id: String) -> String {
        id.isEmpty ? "unnamed-\(UInt64.random(in: .min ... .max))" : id
    }
}
