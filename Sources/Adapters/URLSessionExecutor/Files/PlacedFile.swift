// SPDX-License-Identifier: Apache-2.0
import Glibc
import TransferEngine

/// A file that was already given its final name when a crash came before anybody could record that.
enum PlacedFile {
    /// The finished file of which `resume` tells, known by its inode and size; nil where there is none.
    ///
    /// Renaming keeps the inode, and everything was checked and synced before it. Costs one pass over the destination's
    /// folder, and only when the partial file is gone.
    static func find(_ resume: ResumePoint, in destination: Destination) -> CompletedFile? {
        guard let number = resume.fileNumber, let total = resume.total, FileFacts(path: resume.path) == nil,
            let folder = opendir(destination.directory)
        else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            guard UInt64(entry.pointee.d_ino) == number else { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let path = Paths.join(destination.directory, name)
            guard let facts = FileFacts(path: path), facts.kind == .regular, facts.number == number, facts.size == total
            else { continue }
            return CompletedFile(path: path, bytes: total, modified: facts.modified, validator: resume.validator)
        }
        return nil
    }
}
