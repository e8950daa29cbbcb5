// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport

/// Keeps two processes from fetching the same transfer: one byte-range lock a transfer, in sixteen files.
///
/// The kernel drops the locks with the process, however it ends, so none is ever stale; no file or descriptor is left a
/// transfer. POSIX record locks (fcntl(2)) tell who holds one.
///
/// The kernel walks all locks of a file for each new one: ten thousand in one file take seconds, in sixteen, from the
/// last place down, less than a tenth of one.
final class TransferLocks {
    private let directory: String
    /// The lock files that are open, by the first digit of the keys in them.
    private var files: [Character: Int32] = [:]

    /// Locks in `directory`, which must exist.
    ///
    /// - Throws: `UsageError` when it cannot be written.
    init(directory: String) throws {
        self.directory = directory
        guard access(directory, W_OK | X_OK) == 0 else { throw Self.unwritable(directory) }
    }

    deinit {
        for descriptor in files.values { close(descriptor) }
    }

    /// Takes the locks of the transfers with these keys, hexadecimal digests.
    ///
    /// - Returns: nil when all are ours now, else one that another process has; some of the others may be ours then.
    /// - Throws: `UsageError` when the file system cannot lock.
    func take(keys: [String]) throws -> (key: String, owner: Int32)? {
        let places = keys.map { (key: $0, place: Self.place(of: $0)) }
        for (key, place) in places.sorted(by: { $0.place > $1.place }) {
            if let owner = try take(place, in: try file(of: key)) { return (key, owner) }
        }
        return nil
    }

    private func take(_ place: Int64, in descriptor: Int32) throws -> Int32? {
        switch RecordLock.take(place, in: descriptor) {
        case .ours: return nil
        case .owned(let owner): return owner
        case .failed(let code):
            throw UsageError(
                "\(directory) cannot hold locks (\(String(cString: strerror(code)))); give another --state-dir")
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

    /// 62 bits of the digest: two keys on one place would only wait for one another.
    private static func place(of key: String) -> Int64 { Int64((UInt64(key.prefix(16), radix: 16) ?? 0) >> 2) }

    private static func unwritable(_ path: String) -> UsageError {
        UsageError("\(path) cannot be written (\(String(cString: strerror(errno)))); give another --state-dir")
    }
}
