// SPDX-License-Identifier: Apache-2.0
package import Dispatch
import Glibc
import LinuxKernel
import Synchronization

/// The file a body is written to until it is complete.
///
/// Writing is one thread's affair; syncing runs on another and says how far it came. At most one sync is under way.
package final class PartialFile: Sendable {
    private struct State: Sendable {
        /// The bytes that are durable.
        var durable = ByteRanges()
        /// How often the file was cut. A cut makes worthless what a sync says that began before it.
        var cuts = 0
        var isSyncing = false
    }
    package let path: String
    /// The path for system calls: `path`, but for a file in a folder that is held open.
    package let location: String
    private let opened: OwnedDescriptor
    /// Its inode, which stays when it gets its final name.
    package let number: UInt64?
    package let calls: FileCalls
    private let state = Monitor(State())
    /// The failure of a sync; locked by the one call that syncs, so that no other takes its failure for success.
    private let syncFailure = Mutex<FileFailure?>(nil)

    /// The file that somebody else has opened and locked.
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

    /// Opens or creates the file, readable for the owner only, and locks it.
    ///
    /// With `isNew` there must be nothing of that name.
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
            // A file system without locks: the name is all that keeps others away.
        }
    }

    /// Cuts the file to `offset` bytes, `durable` of which are known to be on disk.
    package func begin(at offset: Int64, durable: ByteRanges) throws(FileFailure) {
        state.change { $0.durable = durable }
        try truncate(to: offset)
    }

    /// Lets others write the file, though somebody here may still hold it open.
    package func unlock() { flock(descriptor, LOCK_UN) }

    /// Cuts the file, which also lets go of reserved room.
    package func truncate(to size: Int64) throws(FileFailure) {
        state.change { state in
            state.cuts += 1
            state.durable.remove(size..<Int64.max)
        }
        try calling("cut", path) { Int(ftruncate(descriptor, off_t(size))) }
    }

    /// Takes room for bytes up to `total` without changing the length.
    ///
    /// False where the file system cannot: the room is watched while writing then.
    package func reserve(from offset: Int64, total: Int64) throws(FileFailure) -> Bool {
        guard total > offset else { return true }
        do {
            try calling("reserve room for", path) {
                Int(calls.reserve(descriptor, offset, total - offset))
            }
        } catch  where error.isStorageLow || error.code == EFBIG {
            throw error
        } catch {
            // EOPNOTSUPP and the like.
            return false
        }
        return true
    }

    /// Writes all bytes at `offset`; returns how many there are on the file system even when it throws.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, written: inout Int) throws(FileFailure) {
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            written += try calling("write", path) {
                calls.write(descriptor, rest.baseAddress, rest.count, offset + Int64(written))
            }
        }
    }

    /// Where the file ends, by the file system: elsewhere than the writer left it where somebody else had a hand in it.
    package var size: Int64 { FileFacts(descriptor: descriptor)?.size ?? 0 }

    /// Whether the file still has its name: somebody may have removed it, or put another in its place.
    package var hasItsName: Bool { number != nil && FileFacts(path: location)?.number == number }

    /// The bytes that are durable.
    package var durable: ByteRanges { state.value.durable }

    /// Begins to sync the bytes that were written, unless a sync is under way; `then` follows on the disk queue.
    package func beginSync(
        _ written: ByteRanges, on queue: DispatchQueue, then: @escaping @Sendable (FileFailure?) -> Void
    ) -> Bool {
        let cuts = state.change { state -> Int? in
            defer { state.isSyncing = true }
            return state.isSyncing ? nil : state.cuts
        }
        guard let cuts else { return false }
        queue.async {
            let failure = self.syncNow(written, cuts: cuts)
            self.state.change { $0.isSyncing = false }
            then(failure)
        }
        return true
    }

    /// Syncs here and now.
    ///
    /// Linux tells of a lost write once, and calls the lost pages clean from then on: after a failure no later success
    /// can be believed, so it is the answer to all that follow. `withFacts` includes mode and time.
    package func syncNow(_ written: ByteRanges, withFacts: Bool = false) -> FileFailure? {
        syncNow(written, cuts: state.value.cuts, withFacts: withFacts)
    }

    private func syncNow(_ written: ByteRanges, cuts: Int, withFacts: Bool = false) -> FileFailure? {
        syncFailure.withLock { syncFailure in
            if syncFailure != nil { return syncFailure }
            do throws(FileFailure) {
                try calls.syncing(descriptor, path, withFacts: withFacts)
                state.change { state in
                    guard state.cuts == cuts else { return }
                    for range in written.ranges { state.durable.insert(range) }
                }
            } catch {
                syncFailure = error
            }
            return syncFailure
        }
    }

    /// Lets another process sync the file in `body`, and nobody here meanwhile: the kernel tells of a lost write only once.
    ///
    /// - Throws: also the failure of an earlier sync, after which no later success can be believed.
    package func whileOthersSync<Value: Sendable>(
        _ body: () throws(FileFailure) -> Value
    ) throws(FileFailure) -> Value {
        try syncFailure.withLock { (syncFailure) throws(FileFailure) in
            if let syncFailure { throw syncFailure }
            return try body()
        }
    }

    /// Waits up to `seconds` while a sync is under way; true when it is over.
    package func waitForSync(seconds: Double) -> Bool {
        state.wait(until: MonotonicTime.now() + UInt64(max(0, seconds) * 1e9)) { !$0.isSyncing }
    }
}
