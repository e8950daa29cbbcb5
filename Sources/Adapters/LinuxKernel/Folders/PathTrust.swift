// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The users who can replace a file, from the file itself up to the root folder.
package enum PathTrust {
    /// Checks that nobody but the owner and root can change the file at a path, or make the path lead to another file.
    ///
    /// A program that starts later, with the rights of its owner, must be of this kind.
    ///
    /// - Parameters:
    ///   - path: The path of the file. Symbolic links are followed.
    ///   - isForRoot: Whether the file is root's. Otherwise it is this user's.
    ///   - lasts: Whether the path must lead to the file even after folders for temporary files were emptied.
    /// - Throws: `PathFault` that names the file, or the folder above it, that someone else can change.
    package static func check(_ path: String, isForRoot: Bool = false, lasts: Bool = true) throws(PathFault) {
        let owners = isForRoot ? PathWalk.systemOwners : PathWalk.trustedOwners
        let walk = PathWalk(owners: owners, allowsTemporaryFolders: !lasts, makesFolders: false)
        let (file, _) = try walk.open(path)
        defer { close(file) }
        let status = PathWalk.status(of: file)
        guard owners.contains(status.st_uid) else { throw PathFault(path: path, reason: .foreignOwner(status.st_uid)) }
        guard !PathWalk.isWritableByOthers(status) else { throw PathFault(path: path, reason: .writable) }
    }
}
