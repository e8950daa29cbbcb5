// SPDX-License-Identifier: Apache-2.0
import Glibc
internal import HTTPSyntax
package import TransferModel

/// The folder of a finished file. Gives the file its final name there.
package struct DestinationFolder: Sendable {
    package var destination: Destination
    /// The attributes that each finished file receives.
    package let attributes: FinalAttributes
    private var directory: String { destination.directory }

    /// Creates the folder of a transfer's destination. Does not access the file system.
    package init(_ specification: TransferSpecification) {
        destination = specification.destination
        attributes = FinalAttributes(specification: specification)
    }

    /// Creates the folder if it is missing. Removes other users' access to a private folder, even if the folder
    /// already existed.
    package func make() throws(FileFailure) {
        try Self.makeFolders(directory, attributes)
        attributes.close(directory)
    }

    /// Checks whether files can be written to the folder, before anything is downloaded. The folder must exist.
    package func check() throws(FileFailure) {
        try calling("write in", directory) { Int(access(directory, W_OK | X_OK)) }
        guard let name = destination.name else { return }
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw FileFailure("use the name", name, code: EINVAL)
        }
        guard name.utf8.count <= nameLimit else { throw FileFailure("use the name", name, code: ENAMETOOLONG) }
        try check(name)
    }

    /// Checks whether the name can be used, given the current contents of the folder.
    package func check(_ name: String) throws(FileFailure) {
        let path = Paths.join(directory, name)
        guard let facts = FileFacts(path: path) else { return }
        if destination.collision == .fail { throw FileFailure("create", path, code: EEXIST) }
        // A user who names a device or a folder does not expect a numbered file next to that name.
        let action = destination.collision == .overwrite ? "replace" : "create"
        switch facts.kind {
        case .regular: return
        case .folder: throw FileFailure(action, path, code: EISDIR)
        case .symbolicLink: throw FileFailure(action, path, code: ELOOP)
        case .other: throw FileFailure(action, path, code: ENOTSUP)
        }
    }

    /// Moves the file at `source` to `name`, or to the next free numbered name, and makes the move durable.
    ///
    /// Leaves a mark for the next attempt, in case a crash prevents this attempt's report.
    ///
    /// - Returns: The path of the finished file.
    package func adopt(
        _ source: PartialFile, name: String, _ response: (status: Int, validator: Validator?)
    ) throws(FileFailure) -> String {
        try make()
        do {
            return try adopting(source, name: name, response)
        } catch {
            // If the partial file is gone, the finished file has its name, although the name may not be durable.
            if FileFacts(path: source.location) != nil { PlacedFile.removeMark(of: source.location) }
            throw error
        }
    }

    private func adopting(
        _ source: PartialFile, name: String, _ response: (status: Int, validator: Validator?)
    ) throws(FileFailure) -> String {
        do {
            PlacedFile.leaveMark(of: source.descriptor, at: source.location, response)
            let path = try giveFinalName(source.location, name: name, source.calls)
            try Self.syncFolder(directory, source.calls)
            return path
        } catch  where error.code == EXDEV {
            // A crash before the rename leaves the copy behind.
            let copy = Paths.join(directory, ".\(Paths.name(source.path))-\(PartialFileState.token()).copy")
            try self.copy(source, to: copy, response)
            defer { unlink(copy) }
            let path = try giveFinalName(copy, name: name, source.calls)
            try Self.syncFolder(directory, source.calls)
            unlink(source.location)
            return path
        }
    }

    private func giveFinalName(_ source: String, name: String, _ calls: FileCalls) throws(FileFailure) -> String {
        let path = Paths.join(directory, name)
        try check(name)
        switch destination.collision {
        case .overwrite:
            try calling("replace", path) { Int(calls.rename(source, path, true)) }
            return path
        case .fail:
            try Self.renameWithoutReplacing(source, to: path, calls)
            return path
        case .rename:
            for number in 0..<10_000 {
                let candidate = Paths.join(directory, Self.numbered(name, number, limit: nameLimit))
                do {
                    try Self.renameWithoutReplacing(source, to: candidate, calls)
                    return candidate
                } catch  where error.code == EEXIST {
                    continue
                }
            }
            throw FileFailure("create", path, code: EEXIST)
        }
    }

    /// Returns `name (1).ext`, cut to at most `limit` bytes.
    package static func numbered(_ name: String, _ number: Int, limit: Int = 255) -> String {
        guard number > 0 else { return name }
        let (stem, ending) = ServerFileName.split(name)
        let tail = " (\(number))\(ending)"
        return ServerFileName.cut(stem, to: limit - tail.utf8.count) + tail
    }

    /// The longest file name of the folder's file system in bytes, at most 255. Some file systems report a limit for
    /// the worst case.
    package var nameLimit: Int {
        var statistics = statvfs()
        guard statvfs(directory, &statistics) == 0, statistics.f_namemax > 0 else { return 255 }
        return min(255, Int(clamping: statistics.f_namemax))
    }

    private static func renameWithoutReplacing(
        _ source: String, to path: String, _ calls: FileCalls
    ) throws(FileFailure) {
        do {
            try calling("create", path) { Int(calls.rename(source, path, false)) }
        } catch  where error.code == EINVAL || error.code == ENOSYS {
            // Some file systems do not support the flag. A hard link gives the same guarantee.
            try calling("create", path) { Int(link(source, path)) }
            unlink(source)
        }
    }

    private static func makeFolders(_ directory: String, _ attributes: FinalAttributes) throws(FileFailure) {
        if let facts = FileFacts(path: directory, followsLinks: true) {
            guard facts.kind == .folder else { throw FileFailure("use the folder", directory, code: ENOTDIR) }
            return
        }
        let parent = Paths.parent(directory)
        if parent != directory, parent != "." { try makeFolders(parent, attributes) }
        do {
            try calling("create the folder", directory) { Int(mkdir(directory, attributes.folderMode)) }
        } catch  where error.code == EEXIST {
            // Another transfer has created the folder in the meantime, or the path is a dangling link. A dangling
            // link fails on first use.
        }
    }

    private static func syncFolder(_ directory: String, _ calls: FileCalls) throws(FileFailure) {
        let descriptor = Int32(
            try calling("open", directory) { Int(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) })
        defer { close(descriptor) }
        try calls.syncing(descriptor, directory)
    }

    private func copy(
        _ source: PartialFile, to path: String, _ response: (status: Int, validator: Validator?)
    ) throws(FileFailure) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = Int32(try calling("create", path) { Int(open(path, flags, 0o600)) })
        defer { close(descriptor) }
        var isWhole = false
        defer { if !isWhole { unlink(path) } }
        let facts = FileFacts(descriptor: source.descriptor)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var offset: off_t = 0
        while true {
            let count = try calling("read", source.path) {
                pread(source.descriptor, buffer.baseAddress, buffer.count, offset)
            }
            if count == 0 { break }
            var done = 0
            while done < count {
                done += try calling("write", path) { write(descriptor, buffer.baseAddress! + done, count - done) }
            }
            offset += off_t(count)
        }
        try attributes.apply(to: descriptor, path: path, in: directory, modified: facts.map { $0.modified })
        try source.calls.syncing(descriptor, path)
        // The copy has its own inode.
        PlacedFile.leaveMark(of: descriptor, at: source.location, response)
        isWhole = true
    }
}

extension Paths {
    package static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
}

extension Destination {
    /// Creates the destination of a transfer's finished file with the given name. A file name that only a server chose
    /// never replaces a file (C8).
    ///
    /// A user who asks for `--overwrite` knows the chosen name and the name at the end of the URL. A name from
    /// `Content-Disposition` or from a redirect's target could match any file in the folder. The existing file is
    /// therefore kept, and the new file receives a number.
    package init(of specification: TransferSpecification, named name: String) {
        self = specification.destination
        guard collision == .overwrite, self.name == nil else { return }
        let limit = DestinationFolder(specification).nameLimit
        if name != ServerFileName.name(disposition: nil, url: specification.url, limit: limit) { collision = .rename }
    }
}
