// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TransferEngine
internal import TransferModel

/// The end of a download attempt.
extension DownloadAttempt {
    func end(_ ending: DownloadStateMachine.Ending) {
        if let fault {
            return keepBytes { $0.writer.outcome(of: fault, expecting: $0.machine.expected, resume: $1) }
        }
        switch ending {
        case .alreadyComplete(let status):
            writer.remove()
            let completion = TransferCompletion(
                status: status, file: specification.completedBefore, wasAlreadyComplete: true)
            end(.finished(completion))
        case .responded(let status):
            // A refusal may be a mistake or may be lifted later. This attempt therefore does not remove bytes of
            // earlier attempts.
            if job.resume == nil { writer.remove() }
            end(.finished(TransferCompletion(status: status, file: nil, response: latestResponse.head)))
        case .failed(let failure, keepsBytes: true):
            keepBytes { .failed(failure, resume: $1) }
        case .failed(let failure, keepsBytes: false):
            // A response that was rejected because of its head says nothing about the bytes of earlier attempts.
            if writer.file == nil, failure.cause != .tooLarge { return keepBytes { .failed(failure, resume: $1) } }
            writer.remove()
            end(.failed(failure, resume: nil))
        case .challenged(let challenges):
            keepBytes { .challenged(challenges, resume: $1) }
        case .stopped:
            keepBytes { .stopped($1) }
        }
    }

    /// Makes the written bytes durable, reports a checkpoint, and ends the attempt.
    private func keepBytes(
        _ outcome: @escaping @Sendable (isolated DownloadAttempt, ResumePoint?) -> ExecutorOutcome
    ) {
        guard let file = writer.file else {
            // This attempt wrote nothing, so the bytes of earlier attempts stay as they are.
            return end(outcome(self, writer.untouchedResume(machine)))
        }
        let present = machine.present
        environment.disk.async { [self] in
            let failure = file.syncNow(present)
            // The durable bytes are read only now because an earlier sync may have succeeded in the meantime.
            let durable = file.durable
            // Bytes past the durable end may be lost, although they can still be read.
            if failure != nil { try? file.truncate(to: durable.end) }
            dispatch { attempt in
                if failure != nil { attempt.writer.written = durable.count }
                var resume = attempt.writer.resumePoint(
                    failure == nil ? present : durable, of: attempt.machine.expected)
                // Without the ID of this boot, the next attempt trusts only the offset. This covers a truncation that
                // failed, too.
                if failure != nil { resume.bootID = "" }
                attempt.reportProgress(isForced: true)
                attempt.report(.checkpointed(resume))
                attempt.end(outcome(attempt, resume))
            }
        }
    }

    func releaseFiles() { writer.release() }

    // MARK: A complete body

    /// Verifies the file and moves it to its destination, on the disk queue.
    func finish(_ serverFile: ServerFile) {
        let file: PartialFile
        do {
            // A body of 0 bytes, or a body that was complete before this attempt, has no open file yet.
            file = try writer.open(for: serverFile, present: machine.present)
        } catch {
            let resume = writer.untouchedResume(machine)
            return end(writer.outcome(of: error, expecting: machine.expected, resume: resume))
        }
        if machine.expected.total == nil {
            // Without its size, `PlacedFile` could not recognize the finished file after a crash.
            machine.expected.total = writer.written
            report(.checkpointed(writer.resumePoint(writer.durable, of: machine.expected)))
        }
        reportProgress(isForced: true)
        let finalizer = FileFinalizer(
            files: context.files, file: file, hasher: writer.hasher, specification: specification,
            serverFile: serverFile,
            size: writer.written)
        if finalizer.begin(completion: { [self] result in dispatch { $0.finished(result) } }) { return }
        environment.disk.async { [self] in
            let result = finalizer.run { context.isStopping }
            dispatch { $0.finished(result) }
        }
    }

    private func finished(_ result: FileFinalizer.Result) {
        switch result {
        case .placed(let completed, let status):
            end(.finished(TransferCompletion(status: status, file: completed, response: latestResponse.head)))
        case .stopped:
            keepBytes { .stopped($1) }
        case .wrong(let failure):
            writer.remove()
            end(.failed(failure, resume: nil))
        case .file(let failure):
            keepBytes { $0.writer.outcome(of: failure, expecting: $0.machine.expected, resume: $1) }
        }
    }
}
