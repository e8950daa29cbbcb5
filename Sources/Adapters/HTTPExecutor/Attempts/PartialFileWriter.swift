// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// Writes the bytes of a download attempt to its partial file.
///
/// The writer opens the file, reserves space, computes the digest, and counts the bytes.
struct PartialFileWriter {
    /// The result of writing a block.
    enum Outcome {
        case written
        /// Another program truncated or extended the file. The writer has kept the bytes that are still correct.
        case fileChanged
        /// Only the first `written` bytes of the block were written.
        case failed(FileFailure, written: Int)
    }

    private let files: any AttemptFiles
    private let space: VolumeSpace
    private let checksum: Checksum?
    private let resume: ResumePoint?
    /// A Boolean value that indicates whether resume points list extents.
    ///
    /// Without extents, the length of the file would be taken for its content. A crash can leave a file with holes
    /// and any earlier resume point, so extents are listed from the first resume point on.
    private let hasExtents: Bool
    /// The open file. `nil` before the first bytes arrive and after `release`.
    private(set) var file: PartialFile?
    private(set) var path = ""
    /// The running digest of all bytes. `nil` if no digest is needed, or if the bytes do not arrive in order from
    /// offset 0.
    private(set) var hasher: BodyHasher?
    /// The number of bytes in the file. Without extents, the bytes end at this offset.
    var written: Int64 = 0
    /// A Boolean value that indicates whether the file is prepared for the body of the current response.
    private var isPrepared = false
    /// The number of bytes that may be written before the free space of the volume is checked again.
    private var room: Int64 = 0
    /// The number of bytes of earlier attempts that are known to be durable.
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

    /// Sets the location of the file. Does not open the file.
    ///
    /// - Parameters:
    ///   - location: The path of the file and the bytes in it.
    ///   - present: The number of bytes that earlier attempts left.
    mutating func begin(at location: PartialFileState, present: Int64) {
        path = location.path
        durableBefore = location.durable
        written = present
        if written == 0 { startHashing() }
    }

    /// Opens the file, unless it is open, and truncates it to the end of the present bytes.
    mutating func open(for server: ServerFile, present: ByteRanges) throws(FileFailure) -> PartialFile {
        if let file { return file }
        return try adopt(files.open(for: server), present: present)
    }

    /// Truncates a file that was opened to the end of the present bytes, and writes to it from now on.
    @discardableResult
    mutating func adopt(_ opened: PartialFile, present: ByteRanges) throws(FileFailure) -> PartialFile {
        let durable = hasExtents ? present : ByteRanges([0..<min(durableBefore, present.count)])
        try opened.begin(at: present.end, durable: durable)
        path = opened.path
        file = opened
        return opened
    }

    /// Opens the file for the body of a response. If the size is known, reserves the space.
    ///
    /// - Returns: `false` if the file has already been prepared since the attempt began or restarted.
    /// - Throws: `FileFailure`, also if the volume has too little space.
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

    /// A Boolean value that indicates whether a restart discards bytes of this attempt or an earlier attempt.
    var hasBytes: Bool { written > 0 || resume != nil && !isPrepared }

    /// Restarts the file at offset 0.
    mutating func restart() throws(FileFailure) {
        isPrepared = false
        written = 0
        room = 0
        startHashing()
        try file?.truncate(to: 0)
    }

    /// Removes the file.
    mutating func remove() {
        // A file that is neither recorded nor created by this attempt belongs to another program.
        guard file != nil || resume != nil else { return }
        files.remove(file)
        release()
    }

    /// Closes the file.
    mutating func release() {
        // A sync may still keep the file open when the next attempt begins.
        file?.unlock()
        file = nil
    }

    // MARK: Bytes

    /// Stops the running digest because bytes no longer arrive in order. The complete file is read for its digest
    /// later.
    mutating func stopHashing() { hasher = nil }

    private mutating func startHashing() { hasher = checksum.map { BodyHasher($0.algorithm) } }

    /// Writes a block, unless another program changed the file's size. In that case, truncates the file, updates
    /// `written`, and returns `.fileChanged`. After a successful write, the caller sets `written`.
    mutating func write(_ bytes: Data, at offset: Int64, to file: PartialFile) -> Outcome {
        // If another program has truncated the file, a write past its end would leave a hole. The size of the file
        // would still look correct.
        let size = file.size
        if !hasExtents, size != written {
            written = min(written, size)
            hasher = nil
            // If the truncation fails, the next attempt repeats it.
            try? file.truncate(to: written)
            return .fileChanged
        }
        var done = 0
        let failure =
            shortageFailure(for: bytes.count, in: file)
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

    /// Deducts a block from the available space. Returns the failure if there is too little space, otherwise `nil`.
    ///
    /// If no space was reserved, the storage floor of the volume is checked as bytes arrive.
    private mutating func shortageFailure(for count: Int, in file: PartialFile) -> FileFailure? {
        if room < Int64(count) {
            let left = space.available(on: file.descriptor) ?? .max
            guard left >= Int64(count) else { return FileFailure("write", path, code: ENOSPC) }
            // Other programs write, too. Near the floor, the free space is checked for each block.
            room = max(Int64(count), min(1 << 20, left / 64))
        }
        room -= Int64(count)
        return nil
    }

    // MARK: Resume points and outcomes

    /// Returns the resume point for the next attempt, given the durable bytes.
    func resumePoint(_ durable: ByteRanges, of expected: DownloadStateMachine.ExpectedFile) -> ResumePoint {
        ResumePoint(
            path: path, offset: durable.prefix, total: expected.total, validator: expected.version,
            bootID: BootIdentity.current, fileNumber: file?.number ?? resume?.fileNumber,
            extents: hasExtents ? durable.beyondPrefix.map { Extent(start: $0.lowerBound, end: $0.upperBound) } : nil)
    }

    /// Returns the resume point for the next attempt if this attempt wrote nothing.
    func untouchedResume(_ machine: DownloadStateMachine) -> ResumePoint? {
        guard var resume else { return nil }
        resume.offset = min(resume.offset, machine.position)
        if resume.extents != nil { resume.extents = resumePoint(machine.present, of: machine.expected).extents ?? [] }
        return resume
    }

    /// Returns the outcome of an attempt that ends because of a disk failure.
    func outcome(
        of failure: FileFailure, expecting expected: DownloadStateMachine.ExpectedFile, resume: ResumePoint?
    ) -> ExecutorOutcome {
        guard failure.isStorageLow else { return .failed(failure.failure, resume: resume) }
        let available = failure.available ?? file.flatMap { space.available(on: $0.descriptor) } ?? 0
        // A copy to another file system needs space for the whole file.
        let needed = expected.total.map { failure.isCopy ? $0 : max(0, $0 - written) }
        return .storageLow(needed: needed, available: available, resume: resume)
    }
}

extension ResumePoint {
    /// Creates the resume point of a file that has its final name. The file's mark is next to the partial path.
    init(placed file: CompletedFile, partialPath: String) {
        self.init(
            path: partialPath, offset: file.bytes, total: file.bytes, validator: file.validator,
            bootID: BootIdentity.current)
    }
}
