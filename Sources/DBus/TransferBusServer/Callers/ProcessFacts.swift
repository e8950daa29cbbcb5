// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

/// Facts about a process, as reported by the kernel.
struct ProcessFacts: Hashable {
    /// The target of `/proc/PID/exe`; `nil` if the link cannot be read. The target ends with ` (deleted)` after the
    /// file is replaced.
    var executable: String?
    /// The text of `/proc/PID/cgroup`.
    var cgroup = ""
    /// The words of `/proc/PID/cmdline`.
    var arguments: [String] = []
    /// The target of `/proc/PID/cwd`.
    var workingFolder = ""
    /// The text of `.flatpak-info` in the root folder of the process; `nil` if the file does not exist, and empty if
    /// the file cannot be read.
    var flatpakInfo: String?
    /// The label of the Linux security module, such as `snap.firefox.firefox (enforce)`.
    var securityLabel = ""
    /// Whether the process has the daemon's root folder; `nil` if the root folder cannot be read.
    var hasSameRoot: Bool?
    /// The number of the mount namespace; `nil` if the number cannot be read.
    var mountNamespace: UInt64?
    /// The number of the daemon's own mount namespace; `nil` if the number cannot be read.
    var ownMountNamespace: UInt64?
    /// Whether the process has the daemon's network namespace; `nil` if that cannot be determined.
    var hasSameNetwork: Bool?
    /// Whether the process runs as the daemon's user.
    var isSameUser = true

    /// The executable's path without the kernel's ` (deleted)` suffix, so that the path stays stable after the file
    /// is replaced (rule C4). Empty if the path is unknown.
    var executablePath: String {
        let mark = " (deleted)"
        guard let executable else { return "" }
        return executable.hasSuffix(mark) ? String(executable.dropLast(mark.count)) : executable
    }

    /// The executable's file name.
    var program: String { executablePath.split(separator: "/").last.map(String.init) ?? "" }

    /// Whether the process sees the same files as the daemon. False if that cannot be determined.
    var hasSameFiles: Bool {
        guard isSameUser, executable != nil, hasSameRoot == true, let mountNamespace else { return false }
        return mountNamespace == ownMountNamespace
    }
}

/// A pidfd, which reveals whether its process has ended and its process id may have been reused.
final class ProcessHandle: Sendable {
    private let descriptor: Int32

    /// Takes ownership of an open pidfd.
    init(taking descriptor: Int32) { self.descriptor = descriptor }

    /// Opens a pidfd for a process. Returns `nil` if the process does not exist, or if the kernel has no pidfds (Linux
    /// before 5.3).
    init?(of process: Int32) {
        let descriptor = transfer_open_process(process)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether the process is still running.
    var isRunning: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }
}
