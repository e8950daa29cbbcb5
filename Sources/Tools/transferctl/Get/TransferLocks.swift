// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport

/// Locks that keep two processes from fetching the same transfer: one byte-range lock per transfer, in sixteen files.
///
/// The kernel releases the locks when the process ends, however it ends, so no lock is ever stale. No file or
/// descriptor is needed per transfer. POSIX record locks (fcntl(2)) report the process that holds a lock.
///
/// The kernel walks all locks of a file for each new lock. Ten thousand locks in a single file take seconds. In
/// sixteen files, taken from the highest offset down, they take less than 0.1 seconds.
final class TransferLocks {
    private let directory: String
    /// The open lock files, by the first digit of their keys.
    private var files: [Character: Int32] = [:]

    /// Creates locks in `directory`, which must exist.
    ///
    /// - Throws: `UsageError` if the folder cannot be written.
    init(directory: String) throws {
        self.directory = directory
        guard access(directory, W_OK | X_OK) == 0 else { throw Self.unwritable(directory) }
    }

    deinit {
        for descriptor in files.values { close(descriptor) }
    }

    /// Takes the locks of the transfers with these keys, which are hexadecimal digests.
    ///
    /// - Returns: `nil` if this process now holds all locks. Otherwise, a key whose lock another process holds; this
    ///   process may then hold some of the other locks.
    /// - Throws: `UsageError` if the file system does not support locks.
    func acquire(keys: [String]) throws -> (key: String, owner: Int32)? {
        let offsets = keys.map { (key: $0, offset: Self.offset(of: $0)) }
        for (key, offset) in offsets.sorted(by: { $0.offset > $1.offset }) {
            if let owner = try acquire(offset, in: try file(of: key)) { return (key, owner) }
        }
        return nil
    }

    private func acquire(_ offset: Int64, in descriptor: Int32) throws -> Int32? {
        switch RecordLock.acquire(offset, in: descriptor) {
        case .acquired: return nil
        case .owned(let owner): return owner
        case .failed(let code):
            throw UsageError(
                "\(directory) does not support locks (\(String(cString: strerror(code)))); use another --state-dir")
        }
    }

    private func file(of key: String) throws -> Int32 {
        let digit = key.first ?? "0"
        if let descriptor = files[digit] { return descriptor }
        let path = "\(directory)/locks-\(digit)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.unwritable(path) }
        files[digit] = descriptor
        return descriptor
    }

    /// Returns the offset of a key's lock: 62 bits of the digest. Two keys with the same offset would only wait for
    /// each other.
    private static func offset(of key: String) -> Int64 { Int64((UInt64(key.prefix(16), radix: 16) ?? 0) >> 2) }

    private static func unwritable(_ path: String) -> UsageError {
        UsageError("cannot write \(path) (\(String(cString: strerror(errno)))); use another --state-dir")
    }
}
