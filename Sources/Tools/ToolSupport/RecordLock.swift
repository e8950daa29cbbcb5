// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Record locks of fcntl(2): the kernel tells who has one, and drops it with the process, however that ends.
package enum RecordLock {
    /// What came of asking for one.
    package enum Outcome: Hashable {
        /// It is ours now.
        case ours
        /// That process has it.
        case owned(by: Int32)
        /// The file cannot be locked; the error's number.
        case failed(Int32)
    }

    /// Asks for the one byte at `place` of an open file, without waiting.
    package static func take(_ place: Int64, in descriptor: Int32) -> Outcome {
        var request = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: Int(place), l_len: 1, l_pid: 0)
        // Between a refusal and the question whose lock it is, it may be released: then it is tried again.
        for _ in 0..<100 {
            if fcntl(descriptor, F_SETLK, &request) == 0 { return .ours }
            guard errno == EACCES || errno == EAGAIN else { break }
            var owner = request
            guard fcntl(descriptor, F_GETLK, &owner) == 0 else { break }
            if owner.l_type != Int16(F_UNLCK) { return .owned(by: owner.l_pid) }
        }
        return .failed(errno)
    }
}
