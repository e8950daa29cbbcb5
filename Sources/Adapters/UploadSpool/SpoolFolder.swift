// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import LinuxKernel
internal import Synchronization
internal import TransferSessions

/// The open folder of the spool.
final class SpoolFolder {
    private let folder: PrivateFolder
    var path: String { folder.path }
    var descriptor: Int32 { folder.descriptor }

    /// Opens the folder. Creates a missing folder, accessible only to this user.
    init(_ path: String) throws(SourceSpoolError) {
        do throws(PathFault) { folder = try PrivateFolder(path, hidesContents: true) } catch {
            throw Self.unavailable(path, error.code, "\(error)")
        }
        if folder.isNew { Self.syncParent(of: path) }
    }

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

    static func unavailable(_ path: String, _ code: Int32, _ reason: String? = nil) -> SourceSpoolError {
        switch code {
        case ENOSPC, EDQUOT:
            SourceSpoolError(.limitExceeded, "no space is left in \(path) for files to upload; free some space")
        default:
            SourceSpoolError(
                .unavailable,
                "the folder \(path) for files to upload cannot be used: \(reason ?? String(cString: strerror(code)))")
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
