// SPDX-License-Identifier: Apache-2.0
import CConfinement
package import WorkerExecutor

extension WorkerConfinement {
    /// A Boolean value that indicates whether this is a build with a sanitizer. A sanitizer's reports need a helper
    /// program and access to files.
    static var isSanitized: Bool { transfer_is_sanitized() != 0 }

    /// Confines this process irrevocably, as far as the kernel supports confinement. If a part is not supported, the
    /// other parts still take effect.
    ///
    /// Must be called while the process has a single thread. Landlock applies to that thread and to the threads that
    /// it starts.
    ///
    /// - Parameters:
    ///   - caFile: The path of a file with additional certificates.
    ///   - usesLandlock: Whether Landlock is applied. `false` simulates a kernel without Landlock.
    /// - Returns: The parts that are in effect.
    package static func apply(caFile: String?, usesLandlock: Bool = true) -> WorkerConfinement {
        var confinement = WorkerConfinement(
            noNewPrivileges: transfer_confine_privileges() == 0, seccomp: false, landlockABI: nil,
            notDumpable: transfer_confine_memory() == 0)
        if usesLandlock { confinement.landlockABI = confineFiles(ConfinedPaths(caFile: caFile)) }
        confinement.seccomp = transfer_seccomp_enforce(confinement.landlockABI == nil ? 1 : 0, 0) == 0
        return confinement
    }

    /// Denies access to all other files. Returns the Landlock version in effect, or `nil` if there is none.
    private static func confineFiles(_ paths: ConfinedPaths) -> Int? {
        let version = transfer_landlock_version()
        guard version > 0 else { return nil }
        let rules = transfer_landlock_begin(version)
        guard rules >= 0 else { return nil }
        for (path, access) in paths.rules {
            // A path that cannot be allowed stays denied. The code that needs the path reports the error.
            _ = transfer_landlock_allow(rules, path, access, version)
        }
        return transfer_landlock_enforce(rules) == 0 ? Int(version) : nil
    }
}
