// SPDX-License-Identifier: Apache-2.0
import Glibc
package import TransferModel

/// The folder a finished file goes to, and how it gets its name there.
package struct DestinationFolder: Sendable {
    package var destination: Destination
    /// What each finished file gets beside its name.
    package let attributes: FinalAttributes
    private var directory: String { destination.directory }

    /// The folder of a transfer's destination.
    package init(_ specification: TransferSpecification) {
        destination = specification.destination
        attributes = FinalAttributes(specification: specification)
    }

    /// Makes the folder where it is missing; a private one is closed to others, too, where it was there before.
    package func make() throws(FileFailure) {
        try Self.makeFolders(directory, attributes)
        attributes.close(directory)
    }

    /// Finds out what stands against writing before anything is fetched; the folder is there.
    package func check() throws(FileFailure) {
        try calling("write in", directory) { Int(access(directory, W_OK | X_OK)) }
        guard let name = destination.name else { return }
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw FileFailure("use the name", name, code: EINVAL)
        }
        guard name.utf8.count <= nameLimit else { throw FileFailure("use the name", name, code: ENAMETOOLONG) }
        try check(name)
    }

    /// What stands against that name, going by what is there now.
    package func check(_ name: String) throws(FileFailure) {
        let path = Paths.join(directory, name)
        guard let facts = FileFacts(path: path) else { return }
        if destination.collision == .fail { throw FileFailure("create", path, code: EEXIST) }
        // Whoever names a device or a folder does not mean a numbered file beside it.
        let doing = destination.collision == .overwrite ? "replace" : "create"
        switch facts.kind {
        case .regular: return
        case .folder: throw FileFailure(doing, path, code: EISDIR)
        case .symbolicLink: throw FileFailure(doing, path, code: ELOOP)
        case .other: throw FileFailure(doing, path, code: ENOTSUP)
        }
    }

    /// Puts the file at `source` under `name`, or the next free number of it, and makes that durable.
    ///
    /// Leaves a mark for the next attempt, should a crash keep this one from telling. Returns the path.
    package func adopt(
        _ source: PartialFile, name: String, _ answer: (status: Int, validator: Validator?)
    ) throws(FileFailure) -> String {
        try make()
        do {
            return try adopting(source, name: name, answer)
        } catch {
            // Without a partial file it has its name, though that may not be durable.
            if FileFacts(path: source.location) != nil { PlacedFile.removeMark(of: source.location) }
            throw error
        }
    }

    private func adopting(
        _ source: PartialFile, name: String, _ answer: (status: Int, validator: Validator?)
    ) throws(FileFailure) -> String {
        do {
            PlacedFile.leaveMark(of: source.descriptor, at: source.location, answer)
            let path = try place(source.location, name: name, source.calls)
            try Self.syncFolder(directory, source.calls)
            return path
        } catch  where error.code == EXDEV {
            // A crash before the renaming leaves the copy behind.
            let copy = Paths.join(directory, ".\(Paths.name(source.path))-\(PartialPlace.token()).copy")
            try self.copy(source, to: copy, answer)
            defer { unlink(copy) }
            let path = try place(copy, name: name, source.calls)
            try Self.syncFolder(directory, source.calls)
            unlink(source.location)
            return path
        }
    }

    private func place(_ source: String, name: String, _ calls: FileCalls) throws(FileFailure) -> String {
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

    /// `name (1).ext`, within the limit in bytes.
    package static func numbered(_ name: String, _ number: Int, limit: Int = 255) -> String {
        guard number > 0 else { return name }
        let (stem, ending) = ServerFileName.split(name)
        let tail = " (\(number))\(ending)"
        return ServerFileName.cut(stem, to: limit - tail.utf8.count) + tail
    }

    /// The longest name in bytes that the folder's file system takes, at most 255: some name a limit for the worst case.
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
            // Some file systems lack the flag; a second link has the same guarantee.
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
            // Another transfer made it in between, or it is a link to nothing, which shows when it is used.
        }
    }

    private static func syncFolder(_ directory: String, _ calls: FileCalls) throws(FileFailure) {
        let descriptor = Int32(
            try calling("open", directory) { Int(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) })
        defer { close(descriptor) }
        try calls.syncing(descriptor, directory)
    }

    private func copy(
        _ source: PartialFile, to path: String, _ answer: (status: Int, validator: Validator?)
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
        try attributes.apply(to: descriptor, path: path, modified: facts.map { $0.modified })
        try source.calls.syncing(descriptor, path)
        // The copy has an inode of its own.
        PlacedFile.leaveMark(of: descriptor, at: source.location, answer)
        isWhole = true
    }
}

extension Paths {
    package static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
}
