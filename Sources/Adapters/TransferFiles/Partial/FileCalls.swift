// SPDX-License-Identifier: Apache-2.0
import CLinuxFiles
import Glibc
import Logging
import Synchronization

/// The system calls on a partial file, which tests can replace.
package struct FileCalls: Sendable {
    /// Makes written bytes durable, optionally with mode and time.
    package var sync: @Sendable (Int32, Bool) -> Int32 = { $1 ? fsync($0) : fdatasync($0) }
    /// Reserves space for a number of bytes, starting at an offset.
    package var reserve: @Sendable (Int32, Int64, Int64) -> Int32 = { linux_reserve($0, $1, $2) }
    /// Writes a number of bytes at an offset. Returns the number of bytes written.
    package var write: @Sendable (Int32, UnsafeRawPointer?, Int, Int64) -> Int = { pwrite($0, $1, $2, off_t($3)) }
    /// Renames a file, optionally replacing an existing file.
    package var rename: @Sendable (String, String, Bool) -> Int32 = {
        $2 ? Glibc.rename($0, $1) : linux_rename_without_replacing($0, $1)
    }
    /// Reports a file whose file system cannot sync.
    package var cannotSync: @Sendable (String, UInt64) -> Void = {
        UnsyncedVolumes.warn(path: $0, device: $1)
    }

    package init() {}

    /// Syncs a file or a folder, which is the best protection against a power loss.
    ///
    /// EINVAL, EOPNOTSUPP, and ENOSYS mean that the file system does not support syncing (some FUSE and network file
    /// systems). The kernel then writes at its own pace, and stopping the transfer would not help. The problem is
    /// reported once per file system.
    ///
    /// All other errors are failures. After EIO, bytes are lost. EROFS comes from a file system that became read-only
    /// because of an error.
    package func syncing(_ descriptor: Int32, _ path: String, withFacts: Bool = true) throws(FileFailure) {
        do {
            try calling("sync", path) { Int(sync(descriptor, withFacts)) }
        } catch  where error.code == EINVAL || error.code == EOPNOTSUPP || error.code == ENOSYS {
            cannotSync(path, FileFacts(descriptor: descriptor)?.device ?? 0)
        }
    }
}

/// Warns about file systems that cannot sync, once per file system in the lifetime of the process.
package enum UnsyncedVolumes {
    private static let reported = Mutex<Set<UInt64>>([])

    /// Logs a warning unless the device was reported before. Returns whether a warning was logged.
    @discardableResult
    package static func warn(path: String, device: UInt64) -> Bool {
        guard reported.withLock({ $0.insert(device).inserted }) else { return false }
        Logger(label: "transfer.files").warning(
            "the file system does not support sync; written data may be lost in a power failure",
            metadata: ["path": "\(path)"])
        return true
    }
}
