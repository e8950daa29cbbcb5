// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// Several requests for pieces of one file at once; each block goes to its own place in the partial file.
extension DownloadAttempt {
    /// A request for a segment.
    struct Piece {
        let segment: Int
        let exchange: Exchange
        var lastActivity: UInt64
    }

    /// Whether the resume points name pieces, so that nobody takes the partial file's length for its content.
    ///
    /// From the first one on, since a crash may leave the file with holes and any earlier point.
    var hasExtents: Bool { specification.connections > 1 || job.resume?.extents?.isEmpty == false }

    /// How many connections there may be: one where the recorded point would take the length of a file with holes
    /// for its content after a crash.
    var allowedConnections: Int {
        if let resume = job.resume, resume.extents == nil { return 1 }
        return specification.connections
    }

    func send(_ request: RequestHead, segment id: Int) {
        // Bytes do not come in order any more: the file is read for its digest when it is complete.
        hasher = nil
        pieces.append(Piece(segment: id, exchange: exchange(for: request), lastActivity: MonotonicTime.now()))
        noteLive()
    }

    func cancel(segment id: Int) {
        for piece in pieces where piece.segment == id { environment.client.cancel(piece.exchange) }
    }

    func piece(_ exchange: Exchange, received head: ResponseHead) {
        guard let index = noteActivity(exchange) else { return }
        perform(machine.received(head, segment: pieces[index].segment))
    }

    func piece(_ exchange: Exchange, received bytes: Data) {
        guard let index = noteActivity(exchange) else { return }
        let (place, then) = machine.received(bytes: bytes.count, segment: pieces[index].segment)
        if let place { write(bytes.prefix(place.count), at: place.lowerBound) }
        perform(then)
    }

    func piece(_ exchange: Exchange, endedWith failure: TransferFailure?) {
        guard let index = pieces.firstIndex(where: { $0.exchange === exchange }) else { return }
        let segment = pieces.remove(at: index).segment
        noteLive()
        perform(machine.ended(failure, segment: segment))
    }

    /// Gives up the requests whose server says nothing; the others go on.
    func giveUpSilentPieces(now: UInt64) {
        let limit = max(1, specification.idleTimeoutSeconds)
        for piece in pieces
        where environment.idleTime(since: piece.lastActivity, now: now, lane) >= UInt64(limit) * 1_000_000_000 {
            perform(machine.giveUp(segment: piece.segment, silence(limit)))
        }
    }

    private func noteActivity(_ exchange: Exchange) -> Int? {
        guard let index = pieces.firstIndex(where: { $0.exchange === exchange }) else { return nil }
        pieces[index].lastActivity = watch.lastActivity
        return index
    }
}
