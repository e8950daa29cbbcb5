// SPDX-License-Identifier: Apache-2.0
import CLinuxFiles
import Glibc
package import TransferModel

/// A destination folder that is held open, so that no other can take its place.
///
/// Files in it are reached by way of the descriptor: the kernel goes from `path` to the folder itself, wherever it has been
/// moved, and no link on the way to it is followed.
package final class FolderHandle: Sendable {
    private let descriptor: OwnedDescriptor
    /// The folder's path as it was given, for records and for people.
    private let directory: String

    /// Opens the folder at the destination's path, where it is the one that was chosen; makes none.
    package init(_ destination: Destination, _ identity: FolderIdentity) throws(FileFailure) {
        let name = destination.directory
        directory = name
        if let document = identity.document { try Self.check(document, for: name) }
        descriptor = OwnedDescriptor(Int32(try calling("open", name) { Int(linux_open_folder_without_links(name)) }))
        guard let facts = FileFacts(descriptor: descriptor.number), facts.kind == .folder,
            identity.document != nil || (facts.device == identity.device && facts.number == identity.inode)
        else { throw FileFailure("use the folder", name, code: ESTALE) }
    }

    /// Refuses a path that does not lie beneath its document; and where the portal does not run, one that will do later.
    private static func check(_ document: String, for path: String) throws(FileFailure) {
        guard path.hasPrefix(document + "/"), !path.split(separator: "/").contains("..") else {
            throw FileFailure("use the folder", path, code: ESTALE)
        }
        guard FileFacts(path: Paths.parent(Paths.parent(document)))?.kind == .folder else {
            throw FileFailure("open", path, code: EHOSTDOWN)
        }
    }

    /// The folder, for system calls.
    package var path: String { "/proc/self/fd/\(descriptor.number)" }

    /// The path for system calls of what lies in the folder; other paths as they are.
    package func location(of path: String) -> String {
        if path == directory { return self.path }
        return Paths.parent(path) == Paths.parent(Paths.join(directory, "x"))
            ? Paths.join(self.path, Paths.name(path)) : path
    }

    /// The path as it is recorded and shown of one for system calls.
    package func shown(_ location: String) -> String {
        if location == path { return directory }
        return location.hasPrefix(path + "/")
            ? Paths.join(directory, String(location.dropFirst(path.utf8.count + 1))) : location
    }
}
