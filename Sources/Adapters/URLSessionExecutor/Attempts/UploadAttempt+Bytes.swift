// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// What comes from the network and goes to it, and what time does.
extension UploadAttempt {
    func exchange(_ exchange: Exchange, received head: ResponseHead) {
        guard exchange === self.exchange, !isOver else { return }
        watch.moved(1, at: MonotonicTime.now())
        answers.answered(head)
        perform(decide { $0.received(head) })
    }

    func exchange(_ exchange: Exchange, received bytes: Data) {
        guard exchange === self.exchange, !isOver else { return }
        watch.moved(Int64(bytes.count), at: MonotonicTime.now())
        switch decide({ $0.received(bytes: bytes.count) }) {
        case .keep(let count): keep(bytes, count)
        case .drop: return
        case .instead(let directives): perform(directives)
        }
    }

    func exchange(_ exchange: Exchange, endedWith error: SessionError?) {
        guard exchange === self.exchange, !isOver else { return }
        self.exchange = nil
        // The file's own fault shows as a broken connection. What the server has said against the upload goes before it.
        if let change = body?.progress.failure {
            _ = decide { $0.interrupt(.failed(change)) }
            return perform(decide { $0.ended(nil) })
        }
        if body?.progress.isLost == true, error != nil {
            let message = "The connection to \(machine.host) was lost while the file was being sent."
            return perform(decide { $0.ended(TransferFailure(cause: .connection, message: message)) })
        }
        let failure = error.map { self.failure(of: $0) }
        perform(decide { $0.ended(failure) })
    }

    /// Bytes were read, to be sent.
    func bytesWentOut() {
        guard !isOver else { return }
        countBytes()
        tellProgress()
    }

    private func countBytes() {
        guard let progress = body?.progress else { return }
        if progress.position > countedPosition {
            watch.moved(progress.position - countedPosition, at: progress.lastRead)
        }
        countedPosition = progress.position
    }

    func tick(now: UInt64) {
        watch.tick(now: now)
        guard !isOver, exchange != nil else { return }
        countBytes()
        if body?.progress.isWaiting == true { watch.moved(0, at: now) }
        tellProgress()
        giveUpIfSilent(now: now, idleLimit: specification.idleTimeoutSeconds)
    }

    func failure(of finding: SilenceWatch.Finding) -> TransferFailure {
        switch finding {
        case .silence(let seconds):
            let message = "\(machine.host) neither took nor sent anything for \(seconds) s."
            return TransferFailure(cause: .timeout, message: message)
        case .slowness(let bytes, let seconds):
            let message = "Only \(bytes) bytes went to \(machine.host) in \(seconds) s."
            return TransferFailure(cause: .tooSlow, message: message)
        }
    }
}
