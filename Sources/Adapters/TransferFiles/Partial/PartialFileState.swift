// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxKernel
import Synchronization
package import TransferEngine
package import TransferModel

/// The path of a transfer's partial file and the usable bytes in it.
package struct PartialFileState: Hashable, Sendable, Codable {
    package var path: String
    /// The number of bytes that can be continued.
    package var offset: Int64
    /// The number of durable bytes among the usable bytes.
    package var durable: Int64
    /// The bytes beyond `offset`, in order. All of them are durable.
    package var extents: [Range<Int64>] = []

    /// Returns the recorded partial file if there is one.
    ///
    /// Otherwise, returns a new file in the common folder. If the common folder is on another file system than the
    /// destination, the new file is created in the destination folder. The final step is therefore always a rename.
    ///
    /// - Parameters:
    ///   - job: The transfer.
    ///   - partialDirectory: The common folder of partial files.
    ///   - location: A closure that returns the path for system calls of a recorded path.
    /// - Throws: `FileFailure` if others can change the common folder.
    package static func find(
        for job: TransferJob, partialDirectory: String, location: (String) -> String = { $0 }
    ) throws(FileFailure) -> PartialFileState {
        if let resume = job.resume {
            guard let facts = recorded(resume, at: location(resume.path)) else {
                return PartialFileState(path: resume.path, offset: 0, durable: 0)
            }
            // In a file with holes, the length says nothing about the contents.
            if let extents = resume.extents { return find(resume, extents, size: facts.size) }
            // Bytes that are written but not synced survive everything except a failure of the machine.
            let isSameBoot = !resume.bootID.isEmpty && resume.bootID == BootIdentity.current
            let usable = isSameBoot ? facts.size : min(facts.size, resume.offset)
            let offset = min(usable, resume.total ?? usable)
            return PartialFileState(path: resume.path, offset: offset, durable: min(offset, resume.offset))
        }
        let directory = job.specification.destination.directory
        let destination = FileFacts(path: location(directory), followsLinks: true)
        var common = FileFacts(path: partialDirectory, followsLinks: true)
        if common == nil
            || (common?.device == destination?.device && common?.number != proven.withLock { $0[partialDirectory] })
        {
            try makePrivate(partialDirectory)
            common = FileFacts(path: partialDirectory, followsLinks: true)
            proven.withLock { $0[partialDirectory] = common?.number }
        }
        let isShared = common?.kind == .folder && common?.device == destination?.device
        let name = named("\(job.id)", token: token(of: job, partialDirectory))
        let path = isShared ? Paths.join(partialDirectory, name) : Paths.join(directory, "." + name)
        return PartialFileState(path: path, offset: 0, durable: 0)
    }

    /// Returns the facts of the recorded file, or `nil` if it is gone or another user's file has its name.
    ///
    /// A file system without owners shows the same user for all files. The file's number then tells whose it is.
    package static func recorded(_ resume: ResumePoint, at location: String) -> FileFacts? {
        guard let facts = FileFacts(path: location), facts.kind == .regular else { return nil }
        return facts.owner == geteuid() || facts.number == resume.fileNumber ? facts : nil
    }

    private static func find(_ resume: ResumePoint, _ extents: [Extent], size: Int64) -> PartialFileState {
        let end = min(size, resume.total ?? size)
        let offset = min(max(0, resume.offset), end)
        // Another program may have changed the file, or even the record.
        let kept = extents.compactMap { extent -> Range<Int64>? in
            let start = max(offset, extent.start)
            return start < min(extent.end, end) ? start..<min(extent.end, end) : nil
        }
        let present = ByteRanges([0..<offset] + kept)
        return PartialFileState(
            path: resume.path, offset: present.prefix, durable: present.count, extents: present.beyondPrefix)
    }

    /// Creates a new file at `path`. If the name is taken, tries the same name with another token.
    ///
    /// First removes a file that an earlier attempt left without a record. No other transfer uses that name.
    package static func create(
        _ path: String, location: (String) -> String = { $0 }, calls: FileCalls, token: () -> String = token
    ) throws(FileFailure) -> PartialFile {
        removeAbandoned(location(path))
        let number = Paths.name(path).prefix { $0 != "-" }
        var candidate = path
        for _ in 0..<16 {
            do {
                return try PartialFile(path: candidate, location: location(candidate), isNew: true, calls: calls)
            } catch  where error.code == EEXIST {
                candidate = Paths.join(Paths.parent(path), named(String(number), token: token()))
            }
        }
        throw FileFailure("create", candidate, code: EEXIST)
    }

    /// Removes a file of this user that no process writes.
    package static func removeAbandoned(_ path: String) {
        guard let facts = FileFacts(path: path), facts.kind == .regular, facts.owner == geteuid() else { return }
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return }
        unlink(path)
    }

    private static func named(_ number: String, token: String) -> String { "\(number)-\(token).part" }

    /// Returns text that is equal for every attempt of a transfer and differs from every other transfer's text. The
    /// text finds a file that an attempt left without a record.
    ///
    /// Transfer IDs are unique within a state folder, so the folder is part of the text. This separates the transfers
    /// of several state folders that share a destination. The date is not included: a repeated request continues the
    /// transfer under a new date.
    private static func token(of job: TransferJob, _ partialDirectory: String) -> String {
        let specification = job.specification
        let parts = [
            "\(job.id)", specification.url, specification.destination.directory,
            specification.destination.name ?? "", partialDirectory,
        ]
        return String(ContentDigest.sha256(of: parts.joined(separator: "\0")).prefix(16))
    }

    /// Returns random text that is unlikely to be in use.
    package static func token() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Creates the folder of a partial file if it is missing.
    package static func prepare(_ path: String) throws(FileFailure) {
        let folder = Paths.parent(path)
        if FileFacts(path: folder, followsLinks: true) == nil { try makePrivate(folder) }
    }

    /// The numbers of the common folders that were proven, by path. Others cannot change where the paths lead, and a walk
    /// for each of many small files costs more system calls than anything else about them.
    private static let proven = Mutex<[String: UInt64]>([:])

    /// Creates the folder, or proves that only this user can change what is in it.
    private static func makePrivate(_ path: String) throws(FileFailure) {
        do throws(PathFault) { _ = try PrivateFolder(path) } catch {
            throw FileFailure(error, of: path)
        }
    }
}
