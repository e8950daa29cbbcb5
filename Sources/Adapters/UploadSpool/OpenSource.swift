// SPDX-License-Identifier: Apache-2.0
internal import Glibc
import LinuxKernel
internal import TransferSessions

/// The methods of keeping a file, cheapest first.
enum KeepingMethod: CaseIterable {
    /// A hard link: a second name for the same content.
    case link
    /// A file that shares its blocks with the original until either is written (btrfs, XFS, bcachefs).
    case reflink
    /// A full copy, which also works across file systems.
    case copy
}

/// The file to keep, opened once.
final class OpenSource {
    /// The size in bytes, and the modification time in nanoseconds since 1970.
    struct Facts: Equatable {
        var size: Int64
        var modified: Int64
    }

    let facts: Facts
    private let descriptor: Int32
    private let isOwned: Bool
    private let isOfThisUser: Bool
    private let displayName: String

    init(_ file: SourceFile) throws(SourceSpoolError) {
        switch file {
        case .path(let path):
            displayName = path
            isOwned = true
            // Nonblocking, because opening a pipe without a writer would block.
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
        case .descriptor(let given):
            displayName = "the passed file"
            isOwned = false
            descriptor = given
            // A descriptor that is not open for reading proves no right to the content. Glibc's module does not
            // declare O_PATH.
            let flags = fcntl(given, F_GETFL)
            guard flags >= 0 else { throw Self.unreadable(displayName, errno) }
            guard flags & O_ACCMODE != O_WRONLY, flags & 0o10000000 == 0 else {
                throw SourceSpoolError(.unusable, "\(displayName) is not open for reading; open it with O_RDONLY")
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            if isOwned { close(descriptor) }
            throw Self.unreadable(displayName, code)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            if isOwned { close(descriptor) }
            throw SourceSpoolError(
                .unusable, "\(displayName) is not a regular file; only regular files can be uploaded.")
        }
        facts = Facts(status)
        isOfThisUser = status.st_uid == geteuid()
    }

    deinit { if isOwned { close(descriptor) } }

    private static func unreadable(_ displayName: String, _ code: Int32) -> SourceSpoolError {
        SourceSpoolError(.unusable, "\(displayName) cannot be read: \(String(cString: strerror(code))).")
    }

    // MARK: Keeping

    /// Keeps the file under a name, durably, by the first method that works.
    ///
    /// - Parameter space: Returns the number of bytes that may still be written; `nil` if unknown.
    /// - Returns: The size and modification time of the kept file.
    func keep(
        as name: String, in folder: SpoolFolder, by methods: [KeepingMethod], until cancellation: SpoolCancellation,
        space: () -> Int64?
    ) throws(SourceSpoolError) -> Facts {
        for method in methods {
            do throws(SourceSpoolError) {
                let kept: Facts?
                switch method {
                case .link: kept = try link(as: name, in: folder)
                case .reflink: kept = try reflink(as: name, in: folder)
                case .copy: kept = try copy(as: name, in: folder, until: cancellation, space: space)
                }
                guard let kept else { continue }
                try folder.sync()
                return kept
            } catch {
                unlinkat(folder.descriptor, name, 0)
                throw error
            }
        }
        throw SourceSpoolError(.unavailable, "\(displayName) can be neither linked nor copied to \(folder.path)")
    }

    /// Creates a hard link. Returns `nil` if that is not possible: another user's file, another file system, a file
    /// without a name, or too many links.
    private func link(as name: String, in folder: SpoolFolder) throws(SourceSpoolError) -> Facts? {
        guard isOfThisUser,
            linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", folder.descriptor, name, AT_SYMLINK_FOLLOW) == 0
        else { return nil }
        // The app may not have synced the content.
        guard fsync(descriptor) == 0 else { throw Self.unreadable(displayName, errno) }
        return facts
    }

    /// Shares the file's blocks. Returns `nil` if the file system does not support it.
    private func reflink(as name: String, in folder: SpoolFolder) throws(SourceSpoolError) -> Facts? {
        let copy = try NewFile(name, in: folder)
        // The macro FICLONE, which Swift does not import: _IOW(0x94, 9, int).
        guard ioctl(copy.descriptor, 0x4004_9409, descriptor) == 0 else {
            unlinkat(folder.descriptor, name, 0)
            return nil
        }
        return try finish(copy)
    }

    private func copy(
        as name: String, in folder: SpoolFolder, until cancellation: SpoolCancellation, space: () -> Int64?
    ) throws(SourceSpoolError) -> Facts {
        let copy = try NewFile(name, in: folder)
        var done: Int64 = 0
        while done < facts.size {
            try cancellation.check()
            if let room = space(), room < facts.size - done {
                throw SourceSpoolError(
                    .limitExceeded,
                    """
                    \(displayName) has \(facts.size) bytes, but only \(room) may be written to \(folder.path); free some space, \
                    or move the file to the same file system to avoid a copy
                    """)
            }
            let end = min(facts.size, done + NewFile.piece)
            while done < end { done += try copy.append(from: descriptor, at: done, upTo: end - done, displayName) }
            // Leaves little to write at the end, and keeps a long copy from filling the page cache.
            if done < facts.size { fdatasync(copy.descriptor) }
        }
        return try finish(copy)
    }

    /// Makes the content durable. Throws if the source changed during the copy, because the copy may mix old and new
    /// content.
    private func finish(_ copy: NewFile) throws(SourceSpoolError) -> Facts {
        let kept = try copy.sync()
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(displayName, errno) }
        guard Facts(status) == facts, kept.size == facts.size else {
            throw SourceSpoolError(.unusable, "\(displayName) changed during the copy. Submit the upload again.")
        }
        return kept
    }
}

extension OpenSource.Facts {
    init(_ status: stat) {
        size = Int64(status.st_size)
        modified = status.st_mtim.nanoseconds
    }
}
