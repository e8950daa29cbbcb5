// SPDX-License-Identifier: Apache-2.0
import LinuxKernel

/// The name of the time since the machine's last start.
enum BootName {
    /// The name of the current boot.
    static let current = name(for: BootIdentity.current)

    /// Returns the name from the file at `path`.
    static func name(in path: String) -> String { name(for: BootIdentity.id(in: path)) }

    /// Returns the boot's id. Without an id, returns a random name that is unique to this process. State that an
    /// earlier process saved then counts as from another boot. Only the wall clock can date that state, and none of
    /// its times count as times on this boot's clock.
    private static func name(for id: String) -> String {
        id.isEmpty ? "unnamed-\(UInt64.random(in: .min ... .max))" : id
    }
}
