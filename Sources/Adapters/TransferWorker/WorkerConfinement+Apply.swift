// SPDX-License-Identifier: Apache-2.0
import CConfinement
package import WorkerExecutor

extension WorkerConfinement {
    /// Whether this is a build with a sanitizer, whose reports need a program to be started and files to be read.
    static var isSanitized: Bool { transfer_is_sanitized() != 0 }

    /// Confines this process, for good, as far as the kernel can; what it lacks leaves the other parts in force.
    ///
    /// Called while there is one thread: Landlock holds for it and for those that it starts.
    ///
    /// - Parameters:
    ///   - caFile: a file of certificates beside the system's.
    ///   - usesLandlock: false leaves that part out, as on a kernel without it.
    package static func apply(caFile: String?, usesLandlock: Bool = true) -> WorkerConfinement {
        var confinement = WorkerConfinement(
            noNewPrivileges: transfer_confine_privileges() == 0, seccomp: false, landlockABI: nil,
            notDumpable: transfer_confine_memory() == 0)
        if usesLandlock { confinement.landlockABI = confineFiles(ConfinedPaths(caFile: caFile)) }
        confinement.seccomp = transfer_seccomp_enforce(confinement.landlockABI == nil ? 1 : 0) == 0
        return confinement
    }

    /// The version of Landlock that is in force from now on; nil where none is.
    private static func confineFiles(_ paths: ConfinedPaths) -> Int? {
        let version = transfer_landlock_version()
        guard version > 0 else { return nil }
        let rules = transfer_landlock_begin(version)
        guard rules >= 0 else { return nil }
        for (path, access) in paths.rules {
            // A path that cannot be allowed stays denied: what needs it says so.
            _ = transfer_landlock_allow(rules, path, access, version)
        }
        return transfer_landlock_enforce(rules) == 0 ? Int(version) : nil
    }
}
