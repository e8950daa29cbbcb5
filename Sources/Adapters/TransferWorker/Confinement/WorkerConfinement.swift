// SPDX-License-Identifier: Apache-2.0
import CConfinement
import Glibc

/// The rights that a worker process has given up for good before it talks to a server.
///
///     print(WorkerConfinement.offered)   // no new privileges, seccomp, Landlock ABI 7, not dumpable
public struct WorkerConfinement: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Whether no program that it starts can have more rights than it has.
    public var noNewPrivileges: Bool
    /// Whether system calls that it does not need are denied.
    public var seccomp: Bool
    /// The version of Landlock by which files are denied; nil where the kernel has none.
    public var landlockABI: Int?
    /// Whether other processes cannot read its memory and no core is written.
    public var notDumpable: Bool

    /// A confinement of those parts.
    public init(noNewPrivileges: Bool, seccomp: Bool, landlockABI: Int?, notDumpable: Bool) {
        self.noNewPrivileges = noNewPrivileges
        self.seccomp = seccomp
        self.landlockABI = landlockABI
        self.notDumpable = notDumpable
    }

    /// The parts that this kernel offers, found out without confining anything.
    public static var offered: WorkerConfinement {
        let version = Int(transfer_landlock_version())
        return WorkerConfinement(
            // Older than any kernel that Swift runs on.
            noNewPrivileges: true, seccomp: transfer_seccomp_is_offered() != 0,
            landlockABI: version > 0 ? version : nil, notDumpable: true)
    }

    /// The parts in words; empty where there is none.
    private var parts: [String] {
        [
            noNewPrivileges ? "no new privileges" : nil, seccomp ? "seccomp" : nil,
            landlockABI.map { "Landlock ABI \($0)" }, notDumpable ? "not dumpable" : nil,
        ].compactMap { $0 }
    }

    /// The parts that are missing, in words.
    public var missing: [String] {
        [
            noNewPrivileges ? nil : "no new privileges", seccomp ? nil : "seccomp",
            landlockABI == nil ? "Landlock" : nil, notDumpable ? nil : "not dumpable",
        ].compactMap { $0 }
    }

    /// The parts, then those that are missing: `seccomp, not dumpable; missing: Landlock`.
    public var description: String {
        let missing = missing.isEmpty ? nil : "missing: " + missing.joined(separator: ", ")
        let parts = parts.isEmpty ? nil : parts.joined(separator: ", ")
        return [parts, missing].compactMap { $0 }.joined(separator: "; ")
    }
}

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
