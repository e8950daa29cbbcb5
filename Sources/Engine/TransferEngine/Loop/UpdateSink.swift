// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// Reports the events of transfers, in order, and keeps the registry up to date.
///
/// Progress is reported at most four times a second for each transfer, on average. The latest progress is reported before
/// any other event of the transfer. Executors themselves report no more often, plus once when bytes stop arriving or the
/// attempt ends. On a busy machine, several of their reports arrive together, and none is withheld: the last one may be
/// the only one for a long time. A worker that a malicious server controls may report more often.
final class UpdateSink {
    /// The reported progress of an attempt.
    private struct Progress {
        /// The time to which the reports so far reach, at one report an interval.
        var reportedUntil: Instant
        /// The latest progress, if it arrived after too many others.
        var unreported: TransferUpdate.Kind?
    }

    /// A quarter of a second, minus a tolerance for executors whose reports arrive slightly early.
    private static let interval = Duration.milliseconds(225)
    /// The time by which reports may be ahead: those that arrive together.
    private static let lead = interval * 8

    /// The stream of the updates.
    let continuation: AsyncStream<EngineUpdate>.Continuation
    private let registry: TransferRegistry?
    /// The progress of running attempts.
    private var progress: [TransferID: Progress] = [:]

    /// Creates a sink into a stream and an optional registry.
    init(_ continuation: AsyncStream<EngineUpdate>.Continuation, registry: TransferRegistry?) {
        (self.continuation, self.registry) = (continuation, registry)
    }

    /// Reports an event of a transfer, after the unreported progress.
    func report(_ id: TransferID, _ kind: TransferUpdate.Kind, at now: ClockReading) {
        // Unreported progress of an earlier attempt is late.
        if case .started = kind { progress[id] = nil }
        if let unreported = progress[id]?.unreported {
            progress[id]?.unreported = nil
            send(id, unreported, at: now)
        }
        if kind.endsAttempt { progress[id] = nil }
        send(id, kind, at: now)
    }

    /// Reports an attempt's progress, or keeps the progress for later if too many reports were recent.
    func reportProgress(of id: TransferID, _ kind: TransferUpdate.Kind, at now: ClockReading) {
        let start = max(progress[id]?.reportedUntil ?? now.instant, now.instant)
        guard now.instant.duration(to: start) <= Self.lead else {
            progress[id]?.unreported = kind
            return
        }
        progress[id] = Progress(reportedUntil: start.advanced(by: Self.interval))
        send(id, kind, at: now)
    }

    /// Restores a danger to a deadline that an earlier run reported, without another report.
    func restore(_ state: DeadlineState, of id: TransferID) { _ = registry?.apply(.deadline(state, nil), to: id) }

    private func send(_ id: TransferID, _ kind: TransferUpdate.Kind, at now: ClockReading) {
        let status = registry?.apply(kind, to: id)
        continuation.yield(.transfer(TransferUpdate(id: id, time: now, kind: kind, status: status)))
    }
}

extension TransferUpdate.Kind {
    fileprivate var endsAttempt: Bool {
        switch self {
        case .stopped, .retrying, .finished, .failed, .cancelled: true
        case .submitted, .changed, .paused, .resumed, .waiting, .deadline, .started, .progressed, .restarted: false
        }
    }
}
