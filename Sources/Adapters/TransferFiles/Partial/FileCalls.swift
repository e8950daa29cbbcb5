// SPDX-License-Identifier: Apache-2.0
import CLinuxFiles
import Glibc

/// The calls on a partial file of which a test must be able to say how they end.
package struct FileCalls: Sendable {
    /// Makes what was written durable, on demand with mode and time.
    package var sync: @Sendable (Int32, Bool) -> Int32 = { $1 ? fsync($0) : fdatasync($0) }
    /// Takes room for so many bytes from an offset on.
    package var reserve: @Sendable (Int32, Int64, Int64) -> Int32 = { linux_reserve($0, $1, $2) }
    /// Writes so many bytes at an offset; tells how many it took.
    package var write: @Sendable (Int32, UnsafeRawPointer?, Int, Int64) -> Int = { pwrite($0, $1, $2, off_t($3)) }
    /// Gives a file another name, on demand in place of what has it.
    package var rename: @Sendable (String, String, Bool) -> Int32 = {
        $2 ? Glibc.rename($0, $1) : linux_rename_without_replacing($0, $1)
    }
    /// Told of a file whose file system cannot sync.
    package var cannotSync: @Sendable (String, UInt64) -> Void = {
        UnsyncedVolumes.tell(path: $0, device: $1)
    }

    package init() {}

    /// Syncs a file or a folder: everything that can be done to keep it through a power loss.
    ///
    /// EINVAL, EOPNOTSUPP and ENOSYS mean that the file system cannot sync at all (some FUSE and network ones): the kernel
    /// writes when it likes, nothing more can be had, and a transfer that refused to go on would help nobody. It is told
    /// once for each file system. All else is a failure: after EIO bytes are lost, and EROFS is what a file system says
    /// that was made read-only because of an error.
    package func syncing(_ descriptor: Int32, _ path: String, withFacts: Bool = true) throws(FileFailure) {
        do {
            try calling("sync", path) { Int(sync(descriptor, withFacts)) }
        } catch  where error.code == EINVAL || error.code == EOPNOTSUPP || error.code == ENOSYS {
            cannotSync(path, FileFacts(descriptor: descriptor)?.device ?? 0)
        }
    }
}
