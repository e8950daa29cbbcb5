// SPDX-License-Identifier: Apache-2.0
import Glibc
internal import HTTPSyntax
package import TransferModel

/// The search for a file at a transfer's destination that makes the download unnecessary.
package struct PresentFile {
    private let specification: TransferSpecification
    private let folder: DestinationFolder

    /// Creates a search in the destination folder of a transfer. `folder` may have another path for system calls.
    package init(_ specification: TransferSpecification, in folder: DestinationFolder? = nil) {
        self.specification = specification
        self.folder = folder ?? DestinationFolder(specification)
    }

    /// The path that the finished file has, unless the server suggests another name or the path is taken.
    private var path: String {
        let name =
            specification.destination.name
            ?? ServerFileName.name(disposition: nil, url: specification.url, limit: folder.nameLimit)
        return Paths.join(folder.destination.directory, name)
    }

    /// The size of the file that ``proven(_:)`` would read first, or `nil` if there is none.
    package var bytesToRead: Int64? {
        guard specification.checksum != nil, specification.upload == nil, specification.body == nil,
            let facts = FileFacts(path: path), facts.kind == .regular
        else { return nil }
        return facts.size
    }

    /// The file of an earlier run if it is unchanged, or `nil`. The server may still have another version.
    ///
    /// If another file has the name and the user wants that file replaced or kept, the earlier file does not count.
    package var unchanged: CompletedFile? {
        guard let before = specification.completedBefore, let facts = FileFacts(path: before.path) else { return nil }
        guard facts.kind == .regular, facts.size == before.bytes, facts.modified == before.modified,
            specification.destination.collision == .rename || before.path == path || FileFacts(path: path) == nil
        else { return nil }
        return before
    }

    /// A file with the checksum of the transfer, or `nil`: the file that has the name, or the file of an earlier run.
    /// Reads the whole file, unless `isStopped` returns `true` before its end.
    ///
    /// The daemon's own folders are not searched, because each of their files belongs to one transfer.
    package func proven(_ isStopped: () -> Bool = { false }) -> CompletedFile? {
        guard let checksum = specification.checksum, specification.upload == nil, specification.body == nil,
            !specification.isPrivate
        else { return nil }
        for path in [path, unchanged?.path].compactMap(\.self) {
            if let file = Self.file(at: path, checksum, isStopped) { return file }
        }
        return nil
    }

    /// The file that makes the download unnecessary: a proven one, or an unchanged one if there is no checksum.
    package var either: CompletedFile? { specification.checksum == nil ? unchanged : proven() }

    /// Returns the file at a path if it has the checksum.
    private static func file(at path: String, _ checksum: Checksum, _ isStopped: () -> Bool) -> CompletedFile? {
        // Without O_NONBLOCK, a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var hasher = BodyHasher(checksum.algorithm)
        guard let facts = FileFacts(descriptor: descriptor), facts.kind == .regular,
            (try? hasher.read(descriptor, path: path, isCancelled: isStopped)) == true,
            hasher.hexDigest == checksum.hexDigest
        else { return nil }
        return CompletedFile(path: path, bytes: facts.size, modified: facts.modified, validator: nil)
    }
}
