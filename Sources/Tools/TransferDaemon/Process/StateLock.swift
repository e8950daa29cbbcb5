// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport

/// A lock that keeps a second daemon out of a state folder. The kernel releases the lock when the process ends, even
/// after a crash.
///
/// While a daemon starts, ends, or continues as another program, it is not on the bus, and the bus may start a second
/// daemon for a call. The file then says that the owner changes, and the second daemon waits. It becomes the owner, or
/// the owner gets back to the bus, which passes the call on to it.
final class StateLock: Sendable {
    /// The open file that holds the lock.
    let descriptor: Int32

    /// Acquires the lock of an existing folder.
    ///
    /// - Parameters:
    ///   - folder: The state folder.
    ///   - file: The open file of an earlier program of this process, which has kept the lock.
    ///   - patience: The longest wait for an owner that changes.
    /// - Throws: `UsageError` that gives the process id of the owner, or the problem with the folder.
    init(folder: String, continuing file: Int32? = nil, patience: Duration = .seconds(10)) throws {
        let path = folder + "/transferd.lock"
        if let file, Self.isOpen(file, at: path) {
            // Another open file of the same process would give up the lock when it is closed.
            descriptor = file
            _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        } else {
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else {
            throw UsageError("cannot open \(path): \(String(cString: strerror(errno))); specify another --state-dir")
        }
        let end = ContinuousClock.now.advanced(by: patience)
        while true {
            switch RecordLock.acquire(0, in: descriptor) {
            case .acquired:
                setChanging(true)
                return
            case .owned where isChanging && ContinuousClock.now < end: usleep(20_000)
            case .owned(let owner):
                close(descriptor)
                throw UsageError(
                    "process \(owner) already uses \(folder); end that process, or specify another --state-dir")
            case .failed(let code):
                close(descriptor)
                throw UsageError(
                    "cannot lock \(path): \(String(cString: strerror(code))); specify another --state-dir")
            }
        }
    }

    deinit { close(descriptor) }

    /// Records whether the owner is about to join or to leave the bus. A file that cannot be written says that it is
    /// not.
    func setChanging(_ isChanging: Bool) {
        if isChanging { _ = pwrite(descriptor, "changing\n", 9, 0) } else { _ = ftruncate(descriptor, 0) }
    }

    private var isChanging: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_size > 0
    }

    private static func isOpen(_ file: Int32, at path: String) -> Bool {
        var (open, named) = (stat(), stat())
        guard fstat(file, &open) == 0, stat(path, &named) == 0 else { return false }
        return open.st_dev == named.st_dev && open.st_ino == named.st_ino
    }
}
