// SPDX-License-Identifier: Apache-2.0

/// Facts about a process as the kernel tells them.
struct ProcessFacts: Hashable {
    /// The target of `/proc/PID/exe`, which ends with ` (deleted)` once the file was replaced; nil where it cannot be read.
    var executable: String?
    /// The text of `/proc/PID/cgroup`.
    var cgroup = ""
    /// The words of `/proc/PID/cmdline`.
    var arguments: [String] = []
    /// The target of `/proc/PID/cwd`.
    var workingFolder = ""
    /// The text of `.flatpak-info` in the root of the process; nil where there is none.
    var flatpakInfo: String?
    /// The label of the Linux security module, such as `snap.firefox.firefox (enforce)`.
    var securityLabel = ""
    /// Whether the process has the daemon's root folder; nil where it cannot be read.
    var hasSameRoot: Bool?
    /// The number of the mount namespace; nil where it cannot be read.
    var mountNamespace: UInt64?
    /// The number of the daemon's own mount namespace.
    var ownMountNamespace: UInt64?
    /// Whether the process belongs to the daemon's user.
    var isSameUser = true

    /// The executable's path, also where the file was replaced while it ran (rule C4).
    var executablePath: String {
        let mark = " (deleted)"
        guard let executable else { return "" }
        return executable.hasSuffix(mark) ? String(executable.dropLast(mark.count)) : executable
    }

    /// The executable's file name.
    var program: String { executablePath.split(separator: "/").last.map(String.init) ?? "" }

    /// Whether the process sees the same files as the daemon; false where that cannot be determined.
    var hasSameFiles: Bool {
        guard isSameUser, executable != nil, hasSameRoot == true, let mountNamespace else { return false }
        return mountNamespace == ownMountNamespace
    }
}
