// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxKernel
package import TransferEngine
internal import TransferModel

/// Where a transfer's partial file is, and how much of it counts.
package struct PartialPlace: Hashable, Sendable, Codable {
    package var path: String
    /// How many bytes of it can be continued.
    package var offset: Int64
    /// How many of those are known to be durable.
    package var durable: Int64
    /// Further bytes of it beyond `offset`, in order, durable too.
    package var extents: [Range<Int64>] = []

    /// A recorded partial file where there is one; else the common folder, or beside the destination where only that
    /// is on the same file system, so that finishing is always a rename.
    ///
    /// `location` tells the path for system calls of a path that is recorded.
    package static func find(
        for job: TransferJob, partialDirectory: String, location: (String) -> String = { $0 }
    ) -> PartialPlace {
        if let resume = job.resume {
            guard let facts = FileFacts(path: location(resume.path)), facts.kind == .regular else {
                return PartialPlace(path: resume.path, offset: 0, durable: 0)
            }
            // With holes in it the file's length says nothing.
            if let extents = resume.extents { return find(resume, extents, size: facts.size) }
            // Bytes written but not synced survive everything but the machine's end.
            let isSameBoot = !resume.bootID.isEmpty && resume.bootID == BootIdentity.current
            let usable = isSameBoot ? facts.size : min(facts.size, resume.offset)
            let offset = min(usable, resume.total ?? usable)
            return PartialPlace(path: resume.path, offset: offset, durable: min(offset, resume.offset))
        }
        let directory = job.specification.destination.directory
        let destination = FileFacts(path: location(directory), followsLinks: true)
        var common = FileFacts(path: partialDirectory, followsLinks: true)
        if common == nil {
            makeFolder(partialDirectory)
            common = FileFacts(path: partialDirectory, followsLinks: true)
        }
        let isShared = common?.kind == .folder && common?.device == destination?.device
        let name = named("\(job.id)", token: token(of: job, partialDirectory))
        let path = isShared ? Paths.join(partialDirectory, name) : Paths.join(directory, "." + name)
        return PartialPlace(path: path, offset: 0, durable: 0)
    }

    private static func find(_ resume: ResumePoint, _ extents: [Extent], size: Int64) -> PartialPlace {
        let end = min(size, resume.total ?? size)
        let offset = min(max(0, resume.offset), end)
        // It may have been changed by somebody else, the record even so.
        let kept = extents.compactMap { extent -> Range<Int64>? in
            let start = max(offset, extent.start)
            return start < min(extent.end, end) ? start..<min(extent.end, end) : nil
        }
        let present = ByteRanges([0..<offset] + kept)
        return PartialPlace(
            path: resume.path, offset: present.prefix, durable: present.count, extents: present.beyondPrefix)
    }

    /// Makes a file that was not there before at `path`, or under the same name with another token where that is taken.
    ///
    /// What an attempt left there of which nothing was saved is removed: no other transfer has that name.
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

    /// Removes a file of ours that nobody writes.
    package static func removeAbandoned(_ path: String) {
        guard let facts = FileFacts(path: path), facts.kind == .regular, facts.owner == geteuid() else { return }
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return }
        unlink(path)
    }

    private static func named(_ number: String, token: String) -> String { "\(number)-\(token).part" }

    /// Text that is the same at each attempt of that transfer, and no other's: what an attempt left of which nothing was
    /// saved is found by it.
    ///
    /// Numbers of transfers are one state folder's own: that, too, keeps them apart where they go to one destination. The
    /// date is left out: who asks for the same again goes on with the transfer, under a new one.
    private static func token(of job: TransferJob, _ partialDirectory: String) -> String {
        let specification = job.specification
        let parts = [
            "\(job.id)", specification.url, specification.destination.directory,
            specification.destination.name ?? "", partialDirectory,
        ]
        return String(ContentDigest.sha256(of: parts.joined(separator: "\0")).prefix(16))
    }

    /// Text that nobody else is likely to have used.
    package static func token() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Makes the folder of a partial file where it is missing.
    package static func prepare(_ path: String) throws(FileFailure) {
        let folder = Paths.parent(path)
        if FileFacts(path: folder, followsLinks: true) == nil { makeFolder(folder) }
    }

    private static func makeFolder(_ path: String) {
        if mkdir(path, 0o700) == 0 || errno != ENOENT { return }
        let parent = Paths.parent(path)
        guard parent != path, parent != "." else { return }
        makeFolder(parent)
        mkdir(path, 0o700)
    }
}
