// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxKernel
import ToolSupport
import TransferFiles

/// The move of all files below a folder into another folder.
///
/// No symbolic link below the destination is followed, because another program may have placed it.
struct FileSetMove {
    private let source: OwnedDescriptor
    private let destination: OwnedDescriptor
    private let path: String

    /// Creates a move between open folders.
    ///
    /// - Parameter path: The path of the destination, for messages.
    init(from source: OwnedDescriptor, to destination: OwnedDescriptor, at path: String) {
        (self.source, self.destination, self.path) = (source, destination, path)
    }

    /// Moves the files. A second call moves those that are left.
    ///
    /// - Throws: `UsageError` that names the path with the fault.
    func perform() throws { try move(source.number, destination.number, path: path) }

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW

    private func move(_ from: Int32, _ to: Int32, path: String) throws {
        guard let names = try? FolderContents(descriptor: from, path: path).names() else { throw fault("read", path) }
        for (name, isFolder) in names {
            let inner = path + "/" + name
            guard isFolder else {
                guard renameat(from, name, to, name) == 0 else { throw fault("create", inner) }
                continue
            }
            guard mkdirat(to, name, 0o777) == 0 || errno == EEXIST else { throw fault("create", inner) }
            let (innerFrom, innerTo) = (openat(from, name, Self.flags), openat(to, name, Self.flags))
            defer {
                close(innerFrom)
                close(innerTo)
            }
            guard innerFrom >= 0, innerTo >= 0 else { throw fault("open", inner) }
            try move(innerFrom, innerTo, path: inner)
            unlinkat(from, name, AT_REMOVEDIR)
        }
        guard fsync(to) == 0 else { throw fault("save", path) }
    }

    private func fault(_ what: String, _ path: String) -> UsageError {
        UsageError("cannot \(what) '\(path)': \(String(cString: strerror(errno))); run the command again to continue")
    }
}
