// SPDX-License-Identifier: Apache-2.0
internal import GRDB
internal import Glibc
internal import LinuxKernel
internal import TransferEngine

extension TransferStoreError {
    /// Creates an error that describes the effect of an SQLite error on the queue at `path`, and the remedy.
    init(_ error: DatabaseError, path: String) {
        let detail = "SQLite: \(error.message ?? "no message"), \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL:
            self = .diskFull(path, detail)
        case .SQLITE_IOERR, .SQLITE_CANTOPEN:
            if Self.isDiskFull(at: path) {
                self = .diskFull(path, detail)
            } else if error.resultCode == .SQLITE_CANTOPEN {
                self = .notWritable(path, detail)
            } else {
                self.init(
                    code: .other,
                    message: """
                        The queue \(path) could not be read or written (\(detail)). \
                        Check the kernel log (dmesg) for disk errors first.
                        """)
            }
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self = .notWritable(path, detail)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(
                code: .corrupt,
                message: """
                    The queue \(path) is damaged (\(detail)). Move it and its -wal and -shm files away \
                    to start with an empty queue. Partial files are kept.
                    """)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                code: .other,
                message: """
                    Another process has locked the queue \(path) (\(detail)). \
                    Find the process with `fuser \(path)`, wait for it or end it, and try again.
                    """)
        default:
            self.init(
                code: .other, message: "The queue \(path) refused a change (\(detail)). The change was not saved.")
        }
    }

    /// Creates an error from any error. A `TransferStoreError` keeps its code; other errors are described for the
    /// queue at `path`.
    init(wrapping error: any Error, path: String) {
        switch error {
        case let error as TransferStoreError: self = error.naming(path)
        case let error as DatabaseError: self.init(error, path: path)
        default: self.init(code: .other, message: "The queue \(path) cannot be used: \(error).")
        }
    }

    /// Creates an error for a file or folder that could not be created, from the system's error number.
    init(code: Code, making path: Substring, _ problem: Int32) {
        let detail = String(cString: strerror(problem))
        switch code {
        case .diskFull: self = .diskFull(String(path), detail)
        default: self = .notWritable(String(path), detail)
        }
    }

    /// Creates an error for the folder of a queue.
    init(_ fault: PathFault, ofQueueAt path: String) {
        let isFull = fault.code == ENOSPC || fault.code == EDQUOT
        self = isFull ? .diskFull(path, "\(fault)") : .notWritable(path, "\(fault)")
    }

    /// The error for an ID that belongs to no unfinished transfer.
    static func noSuchTransfer(_ id: Int64) -> TransferStoreError {
        TransferStoreError(
            code: .noSuchTransfer,
            message: "Transfer \(id) does not exist or has ended, so it cannot be changed.")
    }

    /// The error for an unreadable row. The error fails the whole load, because skipping the row would silently lose a
    /// transfer.
    static func unreadable(_ column: String, of id: Int64, _ reason: String) -> TransferStoreError {
        TransferStoreError(
            code: .corrupt,
            message: """
                The \(column) of transfer \(id) cannot be read: \(reason). \
                Remove the row (DELETE FROM task WHERE id = \(id)) or move the file away. Nothing was changed.
                """)
    }

    /// Returns this error with the path of the queue added, if the message does not already contain the path.
    func naming(_ path: String) -> TransferStoreError {
        guard !message.contains(path), code != .noSuchTransfer, code != .notWritable, code != .diskFull else {
            return self
        }
        return TransferStoreError(code: code, message: "\(message) (Queue: \(path))")
    }

    private static func diskFull(_ path: String, _ detail: String) -> TransferStoreError {
        TransferStoreError(
            code: .diskFull,
            message: """
                The disk of the queue \(path) is full (\(detail)). \
                Free some space and try again. Earlier changes are kept; this change was not saved.
                """)
    }

    private static func notWritable(_ path: String, _ detail: String) -> TransferStoreError {
        TransferStoreError(
            code: .notWritable,
            message: """
                The queue \(path) cannot be opened for writing (\(detail)). \
                Check that the file and its folder belong to you and that only you can write to them, or use another state folder.
                """)
    }

    /// Returns whether the file system is full. SQLite reports some full disks as input/output errors (on the `-shm`
    /// file) or as a file that cannot be opened.
    private static func isDiskFull(at path: String) -> Bool {
        var status = statvfs()
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard statvfs(folder.isEmpty ? "/" : folder, &status) == 0 else { return false }
        return status.f_bavail == 0 || (status.f_files > 0 && status.f_favail == 0)
    }
}
