// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// The way of a download attempt's bytes into its partial file: opening, room, digest and the number of bytes.
struct PartialFileWriter {
    /// The result of writing a block.
    enum Outcome {
        case written
        /// Somebody else cut or lengthened the file; what is still right of it was kept.
        case fileChanged
        /// Only so many bytes of the block were written.
        case failed(FileFailure, written: Int)
    }

    private let files: any AttemptFiles
    private let space: VolumeSpace
    private let checksum: Checksum?
    private let resume: ResumePoint?
    /// Whether resume points name pieces, so that nobody takes the file's length for its content.
    ///
    /// From the first resume point on, since a crash may leave the file with holes and any earlier point.
    private let hasExtents: Bool
    /// The open file; nil before the first bytes, and after `release`.
    private(set) var file: PartialFile?
    private(set) var path = ""
    /// The digest of all bytes; nil if it is not wanted, or if the bytes do not come in order from 0 on.
    private(set) var hasher: BodyHasher?
    /// The number of bytes in the file; they end there, but for extents.
    var written: Int64 = 0
    /// Whether the file was prepared for the bytes that come now.
    private var isPrepared = false
    /// The number of bytes that may be written before the volume is asked again.
    private var room: Int64 = 0
    /// The number of bytes from before this attempt that are known to be durable.
    private var durableBefore: Int64 = 0

    init(_ context: AttemptContext) {
        files = context.files
        space = context.environment.space
        checksum = context.job.specification.checksum
        resume = context.job.resume
        hasExtents = context.job.specification.connections > 1 || context.job.resume?.extents?.isEmpty == false
    }

    /// The bytes of the file that are known to be durable.
    var durable: ByteRanges { file?.durable ?? ByteRanges() }

    // MARK: Beginning and ending

    /// Takes the place of the file: nothing is opened yet.
    ///
    /// - Parameter present: the number of bytes that earlier attempts left.
    mutating func begin(at place: PartialPlace, present: Int64) {
        path = place.path
        durableBefore = place.durable
        written = present
        if written == 0 { startHashing() }
    }

    /// Opens the file, unless it is open, and cuts it behind the bytes that count.
    mutating func open(for server: ServerFile, present: ByteRanges) throws(FileFailure) -> PartialFile {
        if let file { return file }
        let opened = try files.open(for: server)
        let durable = hasExtents ? present : ByteRanges([0..<min(durableBefore, present.count)])
        try opened.begin(at: present.end, durable: durable)
        path = opened.path
        file = opened
        return opened
    }

    /// Opens the file for the body of an answer and reserves the room of a known size.
    ///
    /// - Returns: false if that was done since the attempt began or started over.
    /// - Throws: `FileFailure`, also if the volume has too little room.
    mutating func prepare(for server: ServerFile, _ machine: DownloadStateMachine) throws(FileFailure) -> Bool {
        let file = try open(for: server, present: machine.present)
        guard !isPrepared else { return false }
        if let total = server.total {
            let needed = total - written
            if let available = space.available(on: file.descriptor), available < needed {
                throw FileFailure("reserve \(needed) bytes for", path, code: ENOSPC)
            }
            if try file.reserve(from: machine.position, total: total) { room = needed }
        }
        isPrepared = true
        return true
    }

    /// Whether there are bytes, of this attempt or of an earlier one, that a restart gives up.
    var hasBytes: Bool { written > 0 || resume != nil && !isPrepared }

    /// Begins at 0 again.
    mutating func restart() throws(FileFailure) {
        isPrepared = false
        written = 0
        room = 0
        startHashing()
        try file?.truncate(to: 0)
    }

    /// Removes the file.
    mutating func remove() {
        // A file that was neither recorded nor made here is not ours.
        guard file != nil || resume != nil else { return }
        files.remove(file)
        release()
    }

    /// Lets go of the file.
    mutating func release() {
        // A sync may still hold the file open when the next attempt begins.
        file?.unlock()
        file = nil
    }

    // MARK: Bytes

    /// Bytes do not come in order any more: the file is read for its digest when it is complete.
    mutating func stopHashing() { hasher = nil }

    private mutating func startHashing() { hasher = checksum.map { BodyHasher($0.algorithm) } }

    /// Writes a block; the caller sets `written` after that.
    mutating func write(_ bytes: Data, at offset: Int64, to file: PartialFile) -> Outcome {
        // A write behind the end of a file that somebody has cut would leave a hole, and its size would be right.
        let size = file.size
        if !hasExtents, size != written {
            written = min(written, size)
            hasher = nil
            // Should the cut fail, the next attempt makes it.
            try? file.truncate(to: written)
            return .fileChanged
        }
        var done = 0
        let failure =
            lackOfRoom(for: bytes.count, in: file)
            ?? bytes.withUnsafeBytes { buffer -> FileFailure? in
                do throws(FileFailure) {
                    try file.write(buffer, at: offset, written: &done)
                } catch {
                    return error
                }
                hasher?.update(buffer)
                return nil
            }
        guard let failure else { return .written }
        hasher = nil
        return .failed(failure, written: done)
    }

    /// Takes the room of a block, and returns what stands against it; nil if there is room.
    ///
    /// If no room was reserved, the floor of the volume is watched as bytes come.
    private mutating func lackOfRoom(for count: Int, in file: PartialFile) -> FileFailure? {
        if room < Int64(count) {
            let left = space.available(on: file.descriptor) ?? .max
            guard left >= Int64(count) else { return FileFailure("write", path, code: ENOSPC) }
            // Others write, too: near the floor the volume is asked for each block.
            room = max(Int64(count), min(1 << 20, left / 64))
        }
        room -= Int64(count)
        return nil
    }

    // MARK: What it is worth

    /// The point from which the next attempt goes on, if those bytes are durable.
    func resumePoint(_ durable: ByteRanges, of expected: DownloadStateMachine.ExpectedFile) -> ResumePoint {
        ResumePoint(
            path: path, offset: durable.prefix, total: expected.total, validator: expected.version,
            bootID: BootIdentity.current, fileNumber: file?.number ?? resume?.fileNumber,
            extents: hasExtents ? durable.beyondPrefix.map { Extent(start: $0.lowerBound, end: $0.upperBound) } : nil)
    }

    /// The point from which the next attempt goes on, if this one wrote nothing.
    func untouchedResume(_ machine: DownloadStateMachine) -> ResumePoint? {
        guard var resume else { return nil }
        resume.offset = min(resume.offset, machine.position)
        if resume.extents != nil { resume.extents = resumePoint(machine.present, of: machine.expected).extents ?? [] }
        return resume
    }

    /// The outcome of an attempt that ends for a fault of the disk.
    func outcome(
        of failure: FileFailure, expecting expected: DownloadStateMachine.ExpectedFile, resume: ResumePoint?
    ) -> ExecutorOutcome {
        guard failure.isStorageLow else { return .failed(failure.failure, resume: resume) }
        let available = failure.available ?? file.flatMap { space.available(on: $0.descriptor) } ?? 0
        // Copied to another file system, all of it needs room there.
        let needed = expected.total.map { failure.isCopy ? $0 : max(0, $0 - written) }
        return .storageLow(needed: needed, available: available, resume: resume)
    }
}

extension ResumePoint {
    /// The point that belongs to a file that got its final name: the mark of it lies beside the partial path.
    init(placed file: CompletedFile, partialPath: String) {
        self.init(
            path: partialPath, offset: file.bytes, total: file.bytes, validator: file.validator,
            bootID: BootIdentity.current)
    }
}
