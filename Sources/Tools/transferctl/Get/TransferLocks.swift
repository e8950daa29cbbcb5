// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Keeps two processes from fetching the same transfer: one byte-range lock a transfer in one file.
///
/// The kernel drops the locks with the process, however it ends, so none is ever stale; no file is left a transfer.
/// POSIX record locks (fcntl(2)) tell who holds one.
final class TransferLocks {
    private let descriptor: Int32
    private let path: String

    /// Opens the lock file in `directory`, which must exist.
    ///
    /// - Throws: `UsageError` when it cannot be written.
    init(directory: String) throws {
        path = directory + "/locks"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UsageError(
                "\(path) cannot be written (\(String(cString: strerror(errno)))); give another --state-dir")
        }
    }

    deinit { close(descriptor) }

    /// Takes the lock of the transfer with that key, a hexadecimal digest.
    ///
    /// - Returns: nil when it is ours now, else the process that has it.
    /// - Throws: `UsageError` when the file system cannot lock.
    func take(key: String) throws -> Int32? {
        // 62 bits of the digest are the byte's place: two keys on one place would only wait for one another.
        let place = Int64((UInt64(key.prefix(16), radix: 16) ?? 0) >> 2)
        var request = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: Int(place), l_len: 1, l_pid: 0)
        // Between a refusal and the question whose lock it is, it may be released: then it is tried again.
        for _ in 0..<100 {
            if fcntl(descriptor, F_SETLK, &request) == 0 { return nil }
            guard errno == EACCES || errno == EAGAIN else { break }
            var owner = request
            guard fcntl(descriptor, F_GETLK, &owner) == 0 else { break }
            if owner.l_type != Int16(F_UNLCK) { return owner.l_pid }
        }
        throw UsageError("\(path) cannot be locked (\(String(cString: strerror(errno)))); give another --state-dir")
    }
}
