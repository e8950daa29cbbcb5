// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LinuxKernel
import Synchronization
import TransferEngine
internal import TransferModel

/// How an attempt comes to its end.
extension DownloadAttempt {
    /// Stops: called on the consumer queue after `isStopping` was set.
    func stop() {
        guard !isOver else { return }
        perform(machine.interrupt(.stopped))
    }

    /// What the partial file is worth with those bytes durable.
    func resumePoint(_ durable: ByteRanges) -> ResumePoint {
        ResumePoint(
            path: partialPath, offset: durable.prefix, total: machine.expectedTotal, validator: machine.expectedVersion,
            bootID: BootIdentity.current, fileNumber: file?.number ?? job.resume?.fileNumber,
            extents: hasExtents ? durable.beyondPrefix.map { Extent(start: $0.lowerBound, end: $0.upperBound) } : nil)
    }

    func end(_ ending: DownloadStateMachine.Ending) {
        if case .file(let failure)? = verdict {
            return keepBytes { resume in self.outcome(of: failure, resume: resume) }
        }
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
            keepBytes { .failed(failure, resume: $0) }
        case .failed(let failure, keepsBytes: false):
            // An answer that was refused at its head says nothing against the bytes from before.
            if file == nil, failure.cause != .tooLarge { return keepBytes { .failed(failure, resume: $0) } }
            removePartialFile()
            end(.failed(failure, resume: nil))
        case .challenged(let challenges):
            keepBytes { .challenged(challenges, resume: $0) }
        case .stopped:
            keepBytes { .stopped($0) }
        }
    }

    /// Makes the bytes durable, says so, and ends.
    private func keepBytes(_ outcome: @escaping @Sendable (ResumePoint?) -> ExecutorOutcome) {
        guard let file else {
            // Nothing was written: what there was before stays as it is.
            return end(outcome(untouchedResume))
        }
        let (end, present, durable) = (written, machine.present, self.durable)
        environment.disk.async { [self] in
            let failure = file.syncNow(to: end)
            // What is behind the durable bytes may be lost, though it can still be read.
            if failure != nil { try? file.truncate(to: durable.end) }
            environment.consumer.async { [self] in
                if failure != nil { written = durable.count }
                var resume = resumePoint(failure == nil ? present : durable)
                // Without the name of this boot nothing but the offset is believed, should the cut have failed, too.
                if failure != nil { resume.bootID = "" }
                tellProgress(isForced: true)
                tell(.checkpointed(resume))
                self.end(outcome(resume))
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
        files.remove(file)
        file?.unlock()
        file = nil
    }

    func outcome(of failure: FileFailure, resume: ResumePoint? = nil) -> ExecutorOutcome {
        guard failure.isStorageLow else { return .failed(failure.failure, resume: resume) }
        let available = failure.available ?? file.flatMap { environment.space.available(on: $0.descriptor) } ?? 0
        // Copied to another file system, all of it needs room there.
        let needed = machine.expectedTotal.map { failure.isCopy ? $0 : max(0, $0 - written) }
        return .storageLow(needed: needed, available: available, resume: resume)
    }

    /// The last report.
    func end(_ outcome: ExecutorOutcome) {
        guard !isOver else { return }
        isOver = true
        // A sync may still hold the file open when the next attempt begins.
        file?.unlock()
        file = nil
        if let lane { environment.throttle.leave(lane) }
        onEnd(outcome)
        report(.ended(outcome))
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
        if machine.expectedTotal == nil {
            // Without its size PlacedFile could not know the finished file after a crash.
            machine.expectedTotal = written
            tell(.checkpointed(resumePoint(durable)))
        }
        tellProgress(isForced: true)
        let finisher = Finisher(
            files: files, file: file, hasher: hasher, specification: specification, serverFile: serverFile,
            size: written)
        environment.disk.async { [self] in
            let result = finisher.run { isStopping.withLock { $0 } }
            environment.consumer.async { [self] in finished(result, file) }
        }
    }

    private func finished(_ result: Finisher.Result, _ file: PartialFile) {
        switch result {
        case .placed(let completed, let status):
            end(.finished(TransferCompletion(status: status, file: completed, response: answers.head)))
        case .stopped:
            keepBytes { .stopped($0) }
        case .wrong(let failure):
            removePartialFile()
            end(.failed(failure, resume: nil))
        case .file(let failure):
            keepBytes { self.outcome(of: failure, resume: $0) }
        }
    }
}
