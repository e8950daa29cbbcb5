// SPDX-License-Identifier: Apache-2.0
import Glibc
package import TransferEngine
package import TransferModel

/// A file that was already given its final name when a crash came before anybody could record that.
///
/// Before a partial file gets its final name, a mark is left beside it that tells its inode, size and time; it goes when
/// the transfer's end has been saved. A mark without a partial file says that the file is in its place, also where nothing
/// at all was saved of the transfer. It is a symbolic link to no file: made with one call, all of it or nothing, and
/// without a sync of its own, since journals keep it in order before the renaming. Where there are no symbolic links, the
/// record alone has to tell.
package enum PlacedFile {
    /// What a mark tells. The device is left out: some have another number after each boot.
    package struct Mark: Hashable {
        package var number: UInt64
        package var size: Int64
        /// Nanoseconds since 1970.
        package var modified: Int64
        /// The answer's status.
        package var status: Int
        /// Which version of the server's file it is.
        package var validator: Validator?
    }

    /// Where the mark of that partial file is.
    package static func markPath(_ partialPath: String) -> String {
        (partialPath.hasSuffix(".part") ? String(partialPath.dropLast(5)) : partialPath) + ".placed"
    }

    /// Leaves the mark of the partial file, which may be a copy of it that gets the name.
    package static func leaveMark(
        of descriptor: Int32, at partialPath: String, _ answer: (status: Int, validator: Validator?)
    ) {
        guard let facts = FileFacts(descriptor: descriptor) else { return }
        let mark = Mark(
            number: facts.number, size: facts.size, modified: facts.modified, status: answer.status,
            validator: answer.validator)
        let path = markPath(partialPath)
        if symlink(mark.text, path) != 0, errno == EEXIST {
            removeMark(of: partialPath)
            _ = symlink(mark.text, path)
        }
    }

    /// Removes the mark where there is one.
    package static func removeMark(of partialPath: String) {
        let path = markPath(partialPath)
        // What is no link is not ours.
        if FileFacts(path: path)?.kind == .symbolicLink { unlink(path) }
    }

    /// The finished file of the transfer whose partial file was at `partialPath`; nil where there is none.
    ///
    /// Renaming keeps inode and time, and everything was checked and synced before it. Costs one call where nothing is
    /// there, else one pass over the destination's folder.
    package static func find(_ partialPath: String, _ resume: ResumePoint?, in destination: Destination)
        -> TransferCompletion?
    {
        let mark = Mark(at: markPath(partialPath))
        guard let number = mark?.number ?? resume?.fileNumber, let size = mark?.size ?? resume?.total,
            isPlaced(partialPath, mark), let folder = opendir(destination.directory)
        else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            guard UInt64(entry.pointee.d_ino) == number else { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            // A copy that is still to get its name.
            if name.hasPrefix(".\(Paths.name(partialPath))-") { continue }
            let path = Paths.join(destination.directory, name)
            guard let facts = FileFacts(path: path), facts.kind == .regular, facts.number == number, facts.size == size,
                mark == nil || facts.modified == mark?.modified
            else { continue }
            let file = CompletedFile(
                path: path, bytes: size, modified: facts.modified, validator: mark?.validator ?? resume?.validator)
            return TransferCompletion(status: mark?.status ?? 200, file: file)
        }
        return nil
    }
}

extension PlacedFile {
    /// Whether the partial file is gone, or what the mark tells of was its copy.
    private static func isPlaced(_ partialPath: String, _ mark: Mark?) -> Bool {
        guard let partial = FileFacts(path: partialPath) else { return true }
        return mark.map { $0.number != partial.number } ?? false
    }
}

extension PlacedFile.Mark {
    /// The mark as a link's target: a line of numbers, the entity tag, the date. Mostly short enough for an inode to hold.
    fileprivate var text: String {
        let numbers = "\(number) \(size) \(modified) \(status)"
        let tag = validator?.entityTag ?? ""
        let date = tag.isEmpty || tag.hasPrefix("W/") ? validator?.lastModified ?? "" : ""
        let whole = "\(numbers)\n\(tag)\n\(date)"
        // Some file systems take no longer ones.
        return whole.utf8.count < 1000 ? whole : numbers
    }

    /// Reads a mark; nil where none is, or where the link is somebody else's.
    package init?(at path: String) {
        var buffer = [CChar](repeating: 0, count: 1024)
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let text = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let words = lines[0].split(separator: " ")
        guard words.count == 4, let number = UInt64(words[0]), let size = Int64(words[1]),
            let modified = Int64(words[2]), let status = Int(words[3])
        else { return nil }
        self.init(number: number, size: size, modified: modified, status: status)
        guard lines.count == 3, !lines[1].isEmpty || !lines[2].isEmpty else { return }
        validator = Validator(
            entityTag: lines[1].isEmpty ? nil : lines[1], lastModified: lines[2].isEmpty ? nil : lines[2])
    }
}
