// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// The handling of responses, of bytes on the way to the disk, and of deadlines.
extension DownloadAttempt {
    func exchange(_ exchange: Exchange, received head: ResponseHead) {
        if isEnded || defers({ $0.exchange(exchange, received: head) }) { return }
        let now = MonotonicTime.now()
        if let time = delay.headReceived(head, now: now) { report(.responded(after: time)) }
        guard let segment = segments.recordActivity(of: exchange, now: now) else { return handle(head, of: exchange) }
        stallDetector.moved(0, at: now)
        perform(machine.received(head, segment: segment))
    }

    func exchange(_ exchange: Exchange, received bytes: Data) {
        if isEnded || defers({ $0.exchange(exchange, received: bytes) }, bytes: bytes.count) { return }
        let now = MonotonicTime.now()
        guard let segment = segments.recordActivity(of: exchange, now: now) else { return handle(bytes, of: exchange) }
        stallDetector.moved(Int64(bytes.count), at: now)
        let (range, then) = machine.received(bytes: bytes.count, segment: segment)
        if let range { write(bytes.prefix(range.count), at: range.lowerBound) }
        perform(then)
    }

    func exchange(_ exchange: Exchange, endedWith error: TransportError?) {
        if isEnded || defers({ $0.exchange(exchange, endedWith: error) }) { return }
        guard let segment = segments.remove(exchange) else { return handleEnd(error, of: exchange) }
        publishLiveExchanges()
        perform(machine.ended(error.map { failure(of: $0) }, segment: segment))
    }

    /// Writes a block of which the machine has just accepted `count` bytes.
    func keep(_ bytes: Data, _ count: Int) { write(bytes, at: machine.position - Int64(count)) }

    private func write(_ bytes: Data, at offset: Int64) {
        guard let file = writer.file else { return }
        switch writer.write(bytes, at: offset, to: file) {
        case .written:
            break
        case .fileChanged:
            machine.position = writer.written
            return interrupt(.failed(.partialFileChanged(file.path)))
        case .failed(let failure, let written):
            // Only the bytes that were written count.
            machine.lose(offset + Int64(written)..<offset + Int64(bytes.count))
            writer.written = machine.presentBytes
            return fail(failure)
        }
        writer.written = machine.presentBytes
        checkpointIfDue(now: stallDetector.lastActivity)
        reportProgress(isForced: false)
        environment.waitForDisk(file, written: writer.written)
        environment.pace(bytes.count, rateLimiter)
    }

    /// Starts to make the written bytes durable if a checkpoint is due.
    private func checkpointIfDue(now: UInt64) {
        guard let file = writer.file, reports.wantsCheckpoint(of: writer.written - file.durable.count, now: now) else {
            return
        }
        let begins = file.beginSync(machine.present, on: environment.disk) { [self] failure in
            dispatch { $0.synced(failure) }
        }
        if begins { reports.checkpoint(now: now) }
    }

    private func synced(_ failure: FileFailure?) {
        guard !isEnded, fault == nil else { return }
        if let failure { return fail(failure) }
        let durable = writer.durable
        // Nothing is durable if the download has restarted in the meantime.
        if durable.count > 0 { report(.checkpointed(writer.resumePoint(durable, of: machine.expected))) }
    }

    func reportProgress(isForced: Bool) {
        let now = isForced ? MonotonicTime.now() : stallDetector.lastActivity
        guard reports.reportsProgress(writer.written, now: now, isForced: isForced) else { return }
        report(.progressed(bytes: writer.written, total: machine.expected.total))
    }

    /// Updates progress, checkpoints, and the deadlines of silent servers. Called twice a second.
    func tick(now: UInt64) {
        segments.exclude(stallDetector.tick(now: now), now: now)
        guard !isEnded, opening == nil, exchange != nil || !segments.isEmpty else { return }
        if now > stallDetector.lastActivity, writer.file != nil {
            if reports.reportedBytes != nil, now - stallDetector.lastActivity > 200_000_000 {
                reportProgress(isForced: true)
            }
            checkpointIfDue(now: now)
        }
        // Each segment has its own silence limit. A silent segment does not end the other segments.
        let limit = max(1, specification.idleTimeoutSeconds)
        let silent = segments.silent(seconds: limit) { environment.idleTime(since: $0, now: now, rateLimiter) }
        for segment in silent {
            let failure = StallDetector.Fault.silence(seconds: limit).failure(of: machine.host)
            perform(machine.giveUp(segment: segment, failure))
        }
        giveUpIfSilent(now: now, idleLimit: exchange == nil ? nil : limit)
    }
}
