// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Record locks of fcntl(2). The kernel reports the owner of a lock, and releases the lock when the process ends,
/// even after a crash.
package enum RecordLock {
    /// The outcome of an attempt to take a lock.
    package enum Outcome: Hashable {
        /// This process now owns the lock.
        case acquired
        /// The given process owns the lock.
        case owned(by: Int32)
        /// The file cannot be locked. The value is the error number.
        case failed(Int32)
    }

    /// Attempts to lock the byte at `offset` of an open file, without waiting.
    package static func acquire(_ offset: Int64, in descriptor: Int32) -> Outcome {
        var request = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: Int(offset), l_len: 1, l_pid: 0)
        // The lock may be released between the refusal and the query for its owner. The loop then tries again.
        for _ in 0..<100 {
            if fcntl(descriptor, F_SETLK, &request) == 0 { return .acquired }
            guard errno == EACCES || errno == EAGAIN else { break }
            var owner = request
            guard fcntl(descriptor, F_GETLK, &owner) == 0 else { break }
            if owner.l_type != Int16(F_UNLCK) { return .owned(by: owner.l_pid) }
        }
        return .failed(errno)
    }
}
