// SPDX-License-Identifier: Apache-2.0
package import Dispatch
import Glibc
import LinuxKernel
import Synchronization

/// The file that receives a body until the body is complete.
///
/// A single thread writes. Another thread syncs and records the durable bytes. At most one sync is running.
package final class PartialFile: Sendable {
    private struct State: Sendable {
        /// The durable bytes.
        var durable = ByteRanges()
        /// The number of truncations. A truncation invalidates the result of a sync that began earlier.
        var truncations = 0
        var isSyncing = false
        /// A Boolean value that indicates whether another process may sync the file.
        var isLent = false
    }
    package let path: String
    /// The path for system calls. Differs from `path` only for a file in a folder that is kept open.
    package let location: String
    private let opened: OwnedDescriptor
    /// The inode of the file, which stays the same when the file receives its final name.
    package let number: UInt64?
    package let calls: FileCalls
    private let state = Monitor(State())
    /// The failure of a sync. Locked by the running sync, so that no other call can mistake its failure for a
    /// success.
    private let syncFailure = Mutex<FileFailure?>(nil)

    /// Creates a partial file from a descriptor that another component has opened and locked.
    package convenience init(descriptor: OwnedDescriptor, path: String) {
        self.init(descriptor: descriptor, path: path, location: path, calls: FileCalls())
    }

    private init(descriptor: OwnedDescriptor, path: String, location: String, calls: FileCalls) {
        self.path = path
        self.location = location
        opened = descriptor
        self.calls = calls
        number = FileFacts(descriptor: descriptor.number)?.number
    }

    package var descriptor: Int32 { opened.number }

    /// Opens or creates the file, readable only by the owner, and locks it.
    ///
    /// If `isNew` is `true`, fails if a file of that name exists.
    package convenience init(
        path: String, location: String? = nil, isNew: Bool, calls: FileCalls = FileCalls()
    ) throws(FileFailure) {
        let location = location ?? path
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (isNew ? O_EXCL : 0)
        let descriptor = Int32(try calling("open", path) { Int(Glibc.open(location, flags, 0o600)) })
        self.init(descriptor: OwnedDescriptor(descriptor), path: path, location: location, calls: calls)
        guard FileFacts(descriptor: descriptor)?.kind == .regular else {
            throw FileFailure("write", path, code: EISDIR)
        }
        do {
            try calling("write", path) { Int(flock(descriptor, LOCK_EX | LOCK_NB)) }
        } catch  where error.code == EWOULDBLOCK {
            throw error
        } catch {
            // On a file system without locks, only the name keeps other processes away.
        }
    }

    /// Truncates the file to `offset` bytes, of which `durable` are on disk.
    package func begin(at offset: Int64, durable: ByteRanges) throws(FileFailure) {
        state.change { $0.durable = durable }
        try truncate(to: offset)
    }

    /// Releases the lock so that other processes can write the file, even while a descriptor is still open here.
    package func unlock() { flock(descriptor, LOCK_UN) }

    /// Truncates the file, which also releases reserved space.
    package func truncate(to size: Int64) throws(FileFailure) {
        state.change { state in
            state.truncations += 1
            state.durable.remove(size..<Int64.max)
        }
        try calling("truncate", path) { Int(ftruncate(descriptor, off_t(size))) }
    }

    /// Reserves space for the bytes up to `total` without changing the length.
    ///
    /// Returns `false` if the file system cannot reserve space. The space is then checked during writing.
    package func reserve(from offset: Int64, total: Int64) throws(FileFailure) -> Bool {
        guard total > offset else { return true }
        do {
            try calling("reserve space for", path) {
                Int(calls.reserve(descriptor, offset, total - offset))
            }
        } catch  where error.isStorageLow || error.code == EFBIG {
            throw error
        } catch {
            // EOPNOTSUPP and similar errors.
            return false
        }
        return true
    }

    /// Writes all bytes at `offset`. `written` counts the bytes on the file system, even if the call throws.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, written: inout Int) throws(FileFailure) {
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            written += try calling("write", path) {
                calls.write(descriptor, rest.baseAddress, rest.count, offset + Int64(written))
            }
        }
    }

    /// The size of the file according to the file system. Differs from the writer's count if another program changed
    /// the file.
    package var size: Int64 { FileFacts(descriptor: descriptor)?.size ?? 0 }

    /// A Boolean value that indicates whether the file still has its name. Another program may have removed or
    /// replaced it.
    package var hasItsName: Bool { number != nil && FileFacts(path: location)?.number == number }

    /// The durable bytes.
    package var durable: ByteRanges { state.value.durable }

    /// A Boolean value that indicates whether a sync that `beginSync` started is running.
    package var isSyncing: Bool { state.value.isSyncing }

    /// Starts to sync the written bytes, unless a sync is running. Calls `then` on the disk queue.
    ///
    /// - Returns: `true` if the sync was started.
    package func beginSync(
        _ written: ByteRanges, on queue: DispatchQueue, then: @escaping @Sendable (FileFailure?) -> Void
    ) -> Bool {
        let truncations = state.change { state -> Int? in
            defer { state.isSyncing = true }
            return state.isSyncing ? nil : state.truncations
        }
        guard let truncations else { return false }
        queue.async {
            let failure = self.syncNow(written, truncations: truncations)
            self.state.change { $0.isSyncing = false }
            then(failure)
        }
        return true
    }

    /// Syncs the file on the current thread. Returns the failure, or `nil` on success.
    ///
    /// Linux reports a lost write once and then marks the lost pages as clean. After a failure, no later success is
    /// reliable, so every later call returns that failure. `withFacts` includes mode and time.
    package func syncNow(_ written: ByteRanges, withFacts: Bool = false) -> FileFailure? {
        syncNow(written, truncations: state.value.truncations, withFacts: withFacts)
    }

    private func syncNow(_ written: ByteRanges, truncations: Int, withFacts: Bool = false) -> FileFailure? {
        syncFailure.withLock { syncFailure in
            state.change(once: { !$0.isLent }) { _ in }
            if syncFailure != nil { return syncFailure }
            do throws(FileFailure) {
                try calls.syncing(descriptor, path, withFacts: withFacts)
                state.change { state in
                    guard state.truncations == truncations else { return }
                    for range in written.ranges { state.durable.insert(range) }
                }
            } catch {
                syncFailure = error
            }
            return syncFailure
        }
    }

    /// Lets another process sync the file until `endLending()`, and blocks all syncs here in the meantime. The kernel
    /// reports a lost write only once.
    ///
    /// - Throws: The failure of an earlier sync, after which no later success is reliable.
    package func beginLending() throws(FileFailure) {
        try syncFailure.withLock { (failure) throws(FileFailure) in
            if let failure { throw failure }
            state.change { $0.isLent = true }
        }
    }

    /// Ends a loan that `beginLending()` began.
    package func endLending() { state.change { $0.isLent = false } }

    /// Waits up to `seconds` while a sync is running. Returns `true` if no sync is running afterward.
    package func waitForSync(seconds: Double) -> Bool {
        state.wait(until: MonotonicTime.now() + UInt64(max(0, seconds) * 1e9)) { !$0.isSyncing }
    }
}
