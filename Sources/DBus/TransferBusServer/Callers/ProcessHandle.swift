// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

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
