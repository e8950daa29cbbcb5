// SPDX-License-Identifier: Apache-2.0
import Glibc

/// An open folder in which only this user can have made or changed anything.
///
/// A program that finds a folder where it expects its own cannot know who made the folder. In a folder that others can
/// write to, another user can make any folder first, with files to read or to delete, or with symbolic links. Every
/// folder that a program keeps for itself is therefore opened here.
///
/// ```swift
/// let spool = try PrivateFolder("/var/lib/example/spool")
/// let file = try spool.contents.open("new", O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
/// ```
package final class PrivateFolder: Sendable {
    /// The path of the folder. If the folder was opened by its path alone, no other user can change where it leads.
    package let path: String
    /// The open folder.
    package let descriptor: Int32
    /// Whether the folder was missing and has been made.
    package let isNew: Bool

    /// Opens the folder at a path. Makes missing folders on the way, which only this user can access.
    ///
    /// Nobody but root and this user can change where the path leads, so functions that need a path can use it.
    ///
    /// - Parameters:
    ///   - path: The path of the folder. Symbolic links of root and of this user are followed.
    ///   - hidesContents: Whether others lose the permission to read an existing folder.
    /// - Throws: `PathFault` if the folder cannot be made, belongs to another user, or can be changed by others.
    package convenience init(_ path: String, hidesContents: Bool = false) throws(PathFault) {
        let walk = PathWalk(owners: PathWalk.trustedOwners, allowsTemporaryFolders: true, makesFolders: true)
        let (found, isNew) = try walk.open(path)
        defer { close(found) }
        try self.init(".", in: found, path: path, isNew: isNew, hidesContents: hidesContents)
    }

    /// Opens a folder in an open folder that others may write to. Makes a missing folder, which only this user can access.
    ///
    /// Others may rename the folder at any time, so only the descriptor is safe to use, and not the path.
    ///
    /// - Parameters:
    ///   - name: The name of the folder. A symbolic link is not followed.
    ///   - parent: The open folder.
    ///   - path: The path of the folder, for messages.
    /// - Throws: `PathFault` if the folder cannot be made, belongs to another user, or can be changed by others.
    package convenience init(_ name: String, in parent: Int32, path: String) throws(PathFault) {
        let isNew = mkdirat(parent, name, 0o700) == 0
        guard isNew || errno == EEXIST else { throw PathFault(path: path, reason: .failed(errno)) }
        try self.init(name, in: parent, path: path, isNew: isNew, hidesContents: true)
    }

    private init(_ name: String, in parent: Int32, path: String, isNew: Bool, hidesContents: Bool) throws(PathFault) {
        (self.path, self.isNew) = (path, isNew)
        descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.fault(of: name, in: parent, path, errno) }
        let status = PathWalk.status(of: descriptor)
        guard status.st_uid == geteuid() else { throw PathFault(path: path, reason: .foreignOwner(status.st_uid)) }
        guard isNew || !PathWalk.isWritableByOthers(descriptor, status) else {
            throw PathFault(path: path, reason: .writable)
        }
        // A backup may have restored other permissions. File systems without permissions refuse the call.
        if hidesContents, status.st_mode & 0o777 != 0o700 { fchmod(descriptor, 0o700) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns the fault of a folder that cannot be opened. A symbolic link fails as a file does.
    private static func fault(of name: String, in parent: Int32, _ path: String, _ code: Int32) -> PathFault {
        var status = stat()
        guard code == ENOTDIR || code == ELOOP else { return PathFault(path: path, reason: .failed(code)) }
        fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW)
        return PathFault(path: path, reason: status.st_mode & S_IFMT == S_IFLNK ? .link : .notFolder)
    }
}
