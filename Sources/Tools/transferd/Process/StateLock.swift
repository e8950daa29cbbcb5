// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport

/// A lock that keeps a second daemon out of a state folder. The kernel releases the lock when the process ends, even
/// after a crash.
final class StateLock {
    private let descriptor: Int32

    /// Acquires the lock of an existing folder.
    ///
    /// - Throws: `UsageError` that gives the process id of the owner, or the problem with the folder.
    init(folder: String) throws {
        let path = folder + "/transferd.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UsageError("cannot open \(path): \(String(cString: strerror(errno))); specify another --state-dir")
        }
        switch RecordLock.acquire(0, in: descriptor) {
        case .acquired: return
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

    deinit { close(descriptor) }
}
