// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// What comes from the network, and what time does.
extension DownloadAttempt {
    func exchange(_ exchange: Exchange, received head: ResponseHead) {
        guard !isOver else { return }
        let now = MonotonicTime.now()
        watch.moved(0, at: now)
        if !hasToldAnswer, head.status >= 200 {
            hasToldAnswer = true
            tell(.answered(after: .nanoseconds(Int64(clamping: now - min(firstSent, now)))))
        }
        guard exchange === self.exchange else { return piece(exchange, received: head) }
        answers.answered(head)
        perform(machine.received(head))
    }

    func exchange(_ exchange: Exchange, received bytes: Data) {
        guard !isOver else { return }
        watch.moved(Int64(bytes.count), at: MonotonicTime.now())
        guard exchange === self.exchange else { return piece(exchange, received: bytes) }
        switch machine.received(bytes: bytes.count) {
        case .keep(let count): write(bytes, at: machine.position - Int64(count))
        case .drop: return
        case .instead(let directives): perform(directives)
        }
    }

    func exchange(_ exchange: Exchange, endedWith error: SessionError?) {
        guard !isOver else { return }
        let failure = error.map { self.failure(of: $0) }
        guard exchange === self.exchange else { return piece(exchange, endedWith: failure) }
        self.exchange = nil
        perform(machine.ended(failure))
    }

    func write(_ bytes: Data, at offset: Int64) {
        guard let file else { return }
        // A write behind the end of a file that somebody has cut would leave a hole, and its size would be right.
        let size = file.size
        if !hasExtents, size != written { return partialFileChanged(file, size) }
        let count = bytes.count
        var done = 0
        let failure =
            lackOfRoom(for: count)
            ?? bytes.withUnsafeBytes { buffer -> FileFailure? in
                do throws(FileFailure) {
                    try file.write(buffer, at: offset, written: &done)
                } catch {
                    return error
                }
                hasher?.update(buffer)
                return nil
            }
        if let failure {
            // What was written counts, and no more.
            machine.lose(offset + Int64(done)..<offset + Int64(count))
            written = machine.presentBytes
            hasher = nil
            return fail(failure)
        }
        written = machine.presentBytes
        checkpointIfDue(now: watch.lastActivity)
        tellProgress(isForced: false)
        environment.waitForDisk(file, written: written)
        environment.pace(count, lane)
    }

    /// Keeps what is still there of the bytes that were written.
    private func partialFileChanged(_ file: PartialFile, _ size: Int64) {
        written = min(written, size)
        machine.position = written
        hasher = nil
        // Should the cut fail, the next attempt makes it.
        try? file.truncate(to: written)
        interrupt(.failed(.partialFileChanged(file.path)))
    }

    /// Begins to make progress durable when it is time to.
    func checkpointIfDue(now: UInt64) {
        guard let file else { return }
        let unsynced = written - file.durable.count
        let configuration = environment.configuration
        let age = now > lastCheckpoint ? now - lastCheckpoint : 0
        let isDue =
            unsynced >= configuration.checkpointBytes
            || unsynced > 0 && age >= UInt64(max(0, configuration.checkpointSeconds)) * 1_000_000_000
        guard isDue else { return }
        let begins = file.beginSync(machine.present, on: environment.disk) { [self] failure in
            dispatch { $0.synced(failure) }
        }
        if begins { lastCheckpoint = now }
    }

    private func synced(_ failure: FileFailure?) {
        guard !isOver, fault == nil else { return }
        if let failure { return fail(failure) }
        // After a restart in between nothing is durable.
        if durable.count > 0 { tell(.checkpointed(resumePoint(durable))) }
    }

    /// What stands against writing so many bytes: where no room was reserved, the floor is watched as we go.
    private func lackOfRoom(for count: Int) -> FileFailure? {
        if room < Int64(count) {
            let left = file.flatMap { environment.space.available(on: $0.descriptor) } ?? .max
            guard left >= Int64(count) else { return FileFailure("write", partialPath, code: ENOSPC) }
            // Others write, too: near the floor the volume is asked for each block.
            room = max(Int64(count), min(1 << 20, left / 64))
        }
        room -= Int64(count)
        return nil
    }

    func tellProgress(isForced: Bool) {
        guard written != reportedProgress else { return }
        let interval = UInt64(max(0, environment.configuration.progressInterval.wholeNanoseconds))
        let now = isForced ? MonotonicTime.now() : watch.lastActivity
        guard isForced || now >= lastProgress + interval else { return }
        lastProgress = now
        reportedProgress = written
        tell(.progressed(bytes: written, total: machine.expected.total))
    }

    /// Called twice a second: progress, checkpoints and deadlines of a server that says nothing.
    func tick(now: UInt64) {
        let gap = watch.tick(now: now)
        for index in pieces.indices { pieces[index].lastActivity = min(now, pieces[index].lastActivity + gap) }
        guard !isOver, exchange != nil || !pieces.isEmpty else { return }
        if now > watch.lastActivity, file != nil {
            if reportedProgress >= 0, now - watch.lastActivity > 200_000_000 { tellProgress(isForced: true) }
            checkpointIfDue(now: now)
        }
        // Of pieces each has its own silence.
        if exchange == nil { giveUpSilentPieces(now: now) }
        guard !isOver else { return }
        giveUpIfSilent(now: now, idleLimit: exchange == nil ? nil : specification.idleTimeoutSeconds)
    }

    func failure(of finding: SilenceWatch.Finding) -> TransferFailure {
        switch finding {
        case .silence(let seconds): silence(seconds)
        case .slowness(let bytes, let seconds):
            TransferFailure(cause: .tooSlow, message: "\(machine.host) sent only \(bytes) bytes in \(seconds) s.")
        }
    }

    func silence(_ seconds: Int) -> TransferFailure {
        TransferFailure(cause: .timeout, message: "\(machine.host) sent nothing for \(seconds) s.")
    }
}
