// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Synchronization
internal import TransferSessions

/// The open folder of the spool.
final class SpoolFolder {
    let path: String
    let descriptor: Int32

    /// Opens the folder. Creates a missing folder, accessible only to this user.
    init(_ path: String) throws(SourceSpoolError) {
        self.path = path
        if mkdir(path, 0o700) == 0 {
            Self.syncParent(of: path)
        } else if errno != EEXIST {
            throw Self.unavailable(path, errno)
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unavailable(path, errno) }
        // Another program may have changed the permissions, or a backup may have restored them differently.
        guard fchmod(descriptor, 0o700) == 0 else { throw Self.unavailable(path, errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Makes the folder's entries durable.
    func sync() throws(SourceSpoolError) {
        guard fsync(descriptor) == 0 else { throw Self.unavailable(path, errno) }
    }

    /// Makes the folder's own entry durable.
    private static func syncParent(of path: String) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let parent = open(String(path[..<slash]) + "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return }
        fsync(parent)
        close(parent)
    }

    static func unavailable(_ path: String, _ code: Int32) -> SourceSpoolError {
        switch code {
        case ENOSPC, EDQUOT:
            SourceSpoolError(.limitExceeded, "no space is left in \(path) for files to upload; free some space")
        default:
            SourceSpoolError(
                .unavailable,
                "the folder \(path) for files to upload cannot be used: \(String(cString: strerror(code)))")
        }
    }
}

/// A flag that tells whether the caller no longer needs the file.
final class SpoolCancellation: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func check() throws(SourceSpoolError) {
        guard isCancelled.load(ordering: .relaxed) else { return }
        throw SourceSpoolError(.cancelled, "the upload was canceled before its file was kept")
    }
}
