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
