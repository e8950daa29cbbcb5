// SPDX-License-Identifier: Apache-2.0
import CLinuxFiles
import Glibc
package import TransferModel

/// A destination folder that is kept open, so that no other folder can replace it.
///
/// Files in the folder are reached through the descriptor. The kernel resolves `path` to the folder itself, even
/// after the folder has been moved, and follows no links on the way.
package final class FolderHandle: Sendable {
    private let descriptor: OwnedDescriptor
    /// The original path of the folder, for records and messages.
    private let directory: String

    /// Opens the folder at the destination's path if it is the chosen folder. Never creates a folder.
    package init(_ destination: Destination, _ identity: FolderIdentity) throws(FileFailure) {
        let name = destination.directory
        directory = name
        if let document = identity.document { try Self.check(document, for: name) }
        descriptor = OwnedDescriptor(Int32(try calling("open", name) { Int(linux_open_folder_without_links(name)) }))
        guard let facts = FileFacts(descriptor: descriptor.number), facts.kind == .folder,
            identity.document != nil || (facts.device == identity.device && facts.number == identity.inode)
        else { throw FileFailure("use the folder", name, code: ESTALE) }
    }

    /// Rejects a path that is not beneath its document. If the portal is not running, throws a failure that leads to a
    /// later retry.
    private static func check(_ document: String, for path: String) throws(FileFailure) {
        guard path.hasPrefix(document + "/"), !path.split(separator: "/").contains("..") else {
            throw FileFailure("use the folder", path, code: ESTALE)
        }
        guard FileFacts(path: Paths.parent(Paths.parent(document)))?.kind == .folder else {
            throw FileFailure("open", path, code: EHOSTDOWN)
        }
    }

    /// The path of the folder for system calls.
    package var path: String { "/proc/self/fd/\(descriptor.number)" }

    /// Returns the path for system calls of a file in the folder. Returns other paths unchanged.
    package func location(of path: String) -> String {
        if path == directory { return self.path }
        return Paths.parent(path) == Paths.parent(Paths.join(directory, "x"))
            ? Paths.join(self.path, Paths.name(path)) : path
    }

    /// Returns the recorded and displayed path for a path that is used in system calls.
    package func shown(_ location: String) -> String {
        if location == path { return directory }
        return location.hasPrefix(path + "/")
            ? Paths.join(directory, String(location.dropFirst(path.utf8.count + 1))) : location
    }
}
