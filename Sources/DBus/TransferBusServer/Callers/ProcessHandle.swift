// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

/// A pidfd: a handle of a process whose number cannot become another process's unnoticed.
final class ProcessHandle: Sendable {
    private let descriptor: Int32

    /// Takes over an open pidfd.
    init(taking descriptor: Int32) { self.descriptor = descriptor }

    /// Opens the pidfd of a process; nil if there is no such process, or if the kernel has no pidfds (Linux before 5.3).
    init?(of process: Int32) {
        let descriptor = transfer_open_process(process)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether the process has not ended.
    var isRunning: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }
}
