// SPDX-License-Identifier: Apache-2.0
import Glibc
package import TransferEngine
package import TransferModel

/// The search for a finished file that received its final name, although a crash prevented the record of the end.
///
/// Before a partial file receives its final name, a mark is created next to the partial file. The mark holds the
/// inode, the size, and the time of the file, and is removed once the transfer's end is durable. A mark without a
/// partial file shows that the file is at its destination, even if nothing was saved about the transfer.
///
/// The mark is a symbolic link whose target is the text of the mark, not the path of a file. A single call creates
/// the link completely or not at all. The link needs no
/// separate sync, because journals order the link before the rename. On file systems without symbolic links, only the
/// record remains.
package enum PlacedFile {
    /// The contents of a mark. The device is not included, because some devices change their numbers at each boot.
    package struct Mark: Hashable {
        package var number: UInt64
        package var size: Int64
        /// The modification time in nanoseconds since 1970.
        package var modified: Int64
        /// The status of the response.
        package var status: Int
        /// The version of the server's file.
        package var validator: Validator?
    }

    /// Returns the path of the mark for a partial file.
    package static func markPath(_ partialPath: String) -> String {
        (partialPath.hasSuffix(".part") ? String(partialPath.dropLast(5)) : partialPath) + ".placed"
    }

    /// Creates the mark for the file that receives the final name: the partial file, or a copy of it.
    package static func leaveMark(
        of descriptor: Int32, at partialPath: String, _ response: (status: Int, validator: Validator?)
    ) {
        guard let facts = FileFacts(descriptor: descriptor) else { return }
        let mark = Mark(
            number: facts.number, size: facts.size, modified: facts.modified, status: response.status,
            validator: response.validator)
        let path = markPath(partialPath)
        if symlink(mark.text, path) != 0, errno == EEXIST {
            removeMark(of: partialPath)
            _ = symlink(mark.text, path)
        }
    }

    /// Removes the mark, if it exists.
    package static func removeMark(of partialPath: String) {
        let path = markPath(partialPath)
        // A file that is not a link belongs to another program.
        if FileFacts(path: path)?.kind == .symbolicLink { unlink(path) }
    }

    /// Returns the finished file of the transfer whose partial file was at `partialPath`, or `nil` if it does not
    /// exist.
    ///
    /// A rename keeps the inode and the time, and the file was verified and synced before the rename. Costs a single
    /// call if there is neither a mark nor a record. Otherwise, costs a scan of the destination folder.
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
            // This entry is a copy that has not received its final name yet.
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
    /// Returns whether the partial file is gone, or the mark describes a copy of it.
    private static func isPlaced(_ partialPath: String, _ mark: Mark?) -> Bool {
        guard let partial = FileFacts(path: partialPath) else { return true }
        return mark.map { $0.number != partial.number } ?? false
    }
}

extension PlacedFile.Mark {
    /// The mark as the target of a link: a line of numbers, the entity tag, and the date. Usually short enough to fit
    /// in an inode.
    fileprivate var text: String {
        let numbers = "\(number) \(size) \(modified) \(status)"
        let tag = validator?.entityTag ?? ""
        let date = tag.isEmpty || tag.hasPrefix("W/") ? validator?.lastModified ?? "" : ""
        let whole = "\(numbers)\n\(tag)\n\(date)"
        // Some file systems do not support longer targets.
        return whole.utf8.count < 1000 ? whole : numbers
    }

    /// Reads a mark. Returns `nil` if there is no mark, or if the link belongs to another program.
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
