// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LinuxKernel
import TransferEngine
internal import TransferModel

/// How an attempt comes to its end.
extension DownloadAttempt {
    /// What the partial file is worth with those bytes durable.
    func resumePoint(_ durable: ByteRanges) -> ResumePoint {
        ResumePoint(
            path: partialPath, offset: durable.prefix, total: machine.expected.total,
            validator: machine.expected.version,
            bootID: BootIdentity.current, fileNumber: file?.number ?? job.resume?.fileNumber,
            extents: hasExtents ? durable.beyondPrefix.map { Extent(start: $0.lowerBound, end: $0.upperBound) } : nil)
    }

    func end(_ ending: DownloadStateMachine.Ending) {
        if let fault { return keepBytes { $0.outcome(of: fault, resume: $1) } }
        switch ending {
        case .alreadyComplete(let status):
            removePartialFile()
            let completion = TransferCompletion(
                status: status, file: specification.completedBefore, wasAlreadyComplete: true)
            end(.finished(completion))
        case .answered(let status):
            // A refusal may be a mistake, or be lifted: bytes from before this attempt are not its to take away.
            if job.resume == nil { removePartialFile() }
            end(.finished(TransferCompletion(status: status, file: nil, response: answers.head)))
        case .failed(let failure, keepsBytes: true):
            keepBytes { .failed(failure, resume: $1) }
        case .failed(let failure, keepsBytes: false):
            // An answer that was refused at its head says nothing against the bytes from before.
            if file == nil, failure.cause != .tooLarge { return keepBytes { .failed(failure, resume: $1) } }
            removePartialFile()
            end(.failed(failure, resume: nil))
        case .challenged(let challenges):
            keepBytes { .challenged(challenges, resume: $1) }
        case .stopped:
            keepBytes { .stopped($1) }
        }
    }

    /// Makes the bytes durable, says so, and ends.
    private func keepBytes(
        _ outcome: @escaping @Sendable (isolated DownloadAttempt, ResumePoint?) -> ExecutorOutcome
    ) {
        guard let file else {
            // Nothing was written: what there was before stays as it is.
            return end(outcome(self, untouchedResume))
        }
        let present = machine.present
        environment.disk.async { [self] in
            let failure = file.syncNow(present)
            // Known only now: a sync that was under way may have succeeded meanwhile.
            let durable = file.durable
            // What is behind the durable bytes may be lost, though it can still be read.
            if failure != nil { try? file.truncate(to: durable.end) }
            dispatch { attempt in
                if failure != nil { attempt.written = durable.count }
                var resume = attempt.resumePoint(failure == nil ? present : durable)
                // Without the name of this boot nothing but the offset is believed, should the cut have failed, too.
                if failure != nil { resume.bootID = "" }
                attempt.tellProgress(isForced: true)
                attempt.tell(.checkpointed(resume))
                attempt.end(outcome(attempt, resume))
            }
        }
    }

    /// The resume point where this attempt wrote nothing.
    private var untouchedResume: ResumePoint? {
        guard var resume = job.resume else { return nil }
        resume.offset = min(resume.offset, machine.position)
        if resume.extents != nil { resume.extents = resumePoint(machine.present).extents ?? [] }
        return resume
    }

    func removePartialFile() {
        // What was neither recorded nor made here is not ours.
        guard file != nil || job.resume != nil else { return }
        context.files.remove(file)
        releaseFiles()
    }

    func releaseFiles() {
        // A sync may still hold the file open when the next attempt begins.
        file?.unlock()
        file = nil
    }

    func outcome(of failure: FileFailure, resume: ResumePoint? = nil) -> ExecutorOutcome {
        guard failure.isStorageLow else { return .failed(failure.failure, resume: resume) }
        let available = failure.available ?? file.flatMap { environment.space.available(on: $0.descriptor) } ?? 0
        // Copied to another file system, all of it needs room there.
        let needed = machine.expected.total.map { failure.isCopy ? $0 : max(0, $0 - written) }
        return .storageLow(needed: needed, available: available, resume: resume)
    }

    /// An earlier attempt placed the file, and a crash kept it from saying so.
    func end(alreadyPlaced completion: TransferCompletion) {
        // Whoever saves the end has to know what mark goes with it.
        if job.resume == nil, let file = completion.file {
            tell(
                .checkpointed(
                    ResumePoint(
                        path: partialPath, offset: file.bytes, total: file.bytes, validator: file.validator,
                        bootID: BootIdentity.current)))
        }
        end(.finished(completion))
    }

    // MARK: A complete body

    /// Checks the file and puts it in its place, on the disk queue.
    func finish(_ serverFile: ServerFile) {
        let file: PartialFile
        do {
            // A body of 0 bytes, or one that was complete before, has not been opened yet.
            file = try openFile(for: serverFile)
        } catch {
            return end(outcome(of: error, resume: untouchedResume))
        }
        if machine.expected.total == nil {
            // Without its size PlacedFile could not know the finished file after a crash.
            machine.expected.total = written
            tell(.checkpointed(resumePoint(durable)))
        }
        tellProgress(isForced: true)
        let finalizer = FileFinalizer(
            files: context.files, file: file, hasher: hasher, specification: specification, serverFile: serverFile,
            size: written)
        environment.disk.async { [self] in
            let result = finalizer.run { context.isStopping }
            dispatch { $0.finished(result) }
        }
    }

    private func finished(_ result: FileFinalizer.Result) {
        switch result {
        case .placed(let completed, let status):
            end(.finished(TransferCompletion(status: status, file: completed, response: answers.head)))
        case .stopped:
            keepBytes { .stopped($1) }
        case .wrong(let failure):
            removePartialFile()
            end(.failed(failure, resume: nil))
        case .file(let failure):
            keepBytes { $0.outcome(of: failure, resume: $1) }
        }
    }
}
