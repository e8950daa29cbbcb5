// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// The handling of ended requests, of bytes on the way to the server, and of deadlines.
extension UploadAttempt {
    func exchange(_ exchange: Exchange, endedWith error: TransportError?) {
        guard exchange === self.exchange, !isEnded else { return }
        // A failure of the source file appears as a broken connection. If the server has already rejected the upload,
        // the rejection takes precedence.
        if let change = body?.progress.failure {
            _ = decide { $0.interrupt(.failed(change)) }
            return handleEnd(nil, of: exchange)
        }
        if body?.progress.isLost == true, error != nil {
            self.exchange = nil
            let message = "The connection to \(machine.host) was lost while the file was being sent."
            return perform(decide { $0.ended(TransferFailure(cause: .connection, message: message)) })
        }
        handleEnd(error, of: exchange)
    }

    /// Called after bytes were read for sending.
    func bytesWereRead() {
        guard !isEnded else { return }
        countBytes()
        reportProgress()
    }

    private func countBytes() {
        guard let progress = body?.progress else { return }
        if progress.position > countedPosition {
            stallDetector.moved(progress.position - countedPosition, at: progress.lastRead)
        }
        countedPosition = progress.position
    }

    func tick(now: UInt64) {
        stallDetector.tick(now: now)
        guard !isEnded, exchange != nil else { return }
        countBytes()
        if body?.progress.isWaiting == true { stallDetector.moved(0, at: now) }
        reportProgress()
        giveUpIfSilent(now: now, idleLimit: specification.idleTimeoutSeconds)
    }
}
