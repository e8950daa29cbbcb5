// SPDX-License-Identifier: Apache-2.0
import CConfinement
import Glibc

/// The permissions that a worker process has irrevocably given up before it contacts a server.
///
///     print(WorkerConfinement.offered)   // no new privileges, seccomp, Landlock ABI 7, not dumpable
public struct WorkerConfinement: Hashable, Sendable, Codable, CustomStringConvertible {
    /// A Boolean value that indicates whether programs started by the process can never have more permissions than
    /// the process.
    public var noNewPrivileges: Bool
    /// A Boolean value that indicates whether unneeded system calls are denied.
    public var seccomp: Bool
    /// The version of Landlock that restricts file access. `nil` if the kernel does not support Landlock.
    public var landlockABI: Int?
    /// A Boolean value that indicates whether other processes cannot read the memory of the process, and whether core
    /// dumps are disabled.
    public var notDumpable: Bool

    /// Creates a confinement from its parts.
    public init(noNewPrivileges: Bool, seccomp: Bool, landlockABI: Int?, notDumpable: Bool) {
        self.noNewPrivileges = noNewPrivileges
        self.seccomp = seccomp
        self.landlockABI = landlockABI
        self.notDumpable = notDumpable
    }

    /// The parts that this kernel supports. Reading this property confines nothing.
    public static var offered: WorkerConfinement {
        let version = Int(transfer_landlock_version())
        return WorkerConfinement(
            // Every kernel that runs Swift supports this part.
            noNewPrivileges: true, seccomp: transfer_seccomp_is_offered() != 0,
            landlockABI: version > 0 ? version : nil, notDumpable: true)
    }

    /// The names of the active parts. Empty if there are none.
    private var activeParts: [String] {
        [
            noNewPrivileges ? "no new privileges" : nil, seccomp ? "seccomp" : nil,
            landlockABI.map { "Landlock ABI \($0)" }, notDumpable ? "not dumpable" : nil,
        ].compactMap { $0 }
    }

    /// The names of the missing parts.
    public var missing: [String] {
        [
            noNewPrivileges ? nil : "no new privileges", seccomp ? nil : "seccomp",
            landlockABI == nil ? "Landlock" : nil, notDumpable ? nil : "not dumpable",
        ].compactMap { $0 }
    }

    /// The active parts, followed by the missing parts: `seccomp, not dumpable; missing: Landlock`.
    public var description: String {
        let missing = missing.isEmpty ? nil : "missing: " + missing.joined(separator: ", ")
        let activeParts = activeParts.isEmpty ? nil : activeParts.joined(separator: ", ")
        return [activeParts, missing].compactMap { $0 }.joined(separator: "; ")
    }
}

/// The identity of the files for name resolution and of the certificates.
///
/// A confined process can still read a file that was rewritten, but not a file that replaced it. A worker whose stamp
/// is out of date receives no further attempts.
struct SystemFilesStamp: Hashable, Sendable {
    private var files: [String]

    /// Creates the current stamp, including a file with additional certificates.
    init(caFile: String?) {
        let paths = ["resolv.conf", "hosts", "nsswitch.conf", "gai.conf"].map { "/etc/" + $0 }
        files = (paths + [caFile].compactMap { $0 }).map { path in
            var status = stat()
            return stat(path, &status) == 0 ? "\(status.st_dev) \(status.st_ino)" : ""
        }
    }
}
