// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// Tells what happens to transfers, in order, and keeps the registry up to date.
///
/// Progress is told four times a second for each transfer at most, and the last before anything else happens to the
/// transfer. Executors report no more often by themselves, and once more when bytes stop coming or the attempt ends; a
/// worker that a server has taken over may.
final class UpdateSink {
    /// The progress of an attempt, as far as it was told.
    private struct Progress {
        var told: Instant
        /// The latest progress, if it came too soon after the last to be told.
        var untold: TransferUpdate.Kind?
    }

    /// A quarter of a second, less what reports of an executor that keeps to that may come too early.
    private static let interval = Duration.milliseconds(225)

    /// Receives the updates.
    let continuation: AsyncStream<EngineUpdate>.Continuation
    private let registry: TransferRegistry?
    /// The progress of running attempts.
    private var progress: [TransferID: Progress] = [:]

    /// A sink into a stream and, if there is one, a registry.
    init(_ continuation: AsyncStream<EngineUpdate>.Continuation, registry: TransferRegistry?) {
        (self.continuation, self.registry) = (continuation, registry)
    }

    /// Tells what happened to a transfer, after the progress that was not told yet.
    func tell(_ id: TransferID, _ kind: TransferUpdate.Kind, at now: Moment) {
        // What an earlier attempt left untold is late.
        if case .started = kind { progress[id] = nil }
        if let untold = progress[id]?.untold {
            progress[id]?.untold = nil
            send(id, untold, at: now)
        }
        if kind.endsAttempt { progress[id] = nil }
        send(id, kind, at: now)
    }

    /// Tells an attempt's progress, or keeps it for later if the last was told just now.
    func tellProgress(of id: TransferID, _ kind: TransferUpdate.Kind, at now: Moment) {
        if let last = progress[id]?.told, last.duration(to: now.instant) < Self.interval {
            progress[id]?.untold = kind
            return
        }
        progress[id] = Progress(told: now.instant)
        send(id, kind, at: now)
    }

    private func send(_ id: TransferID, _ kind: TransferUpdate.Kind, at now: Moment) {
        let status = registry?.apply(kind, to: id)
        continuation.yield(.transfer(TransferUpdate(id: id, time: now, kind: kind, status: status)))
    }
}

extension TransferUpdate.Kind {
    fileprivate var endsAttempt: Bool {
        switch self {
        case .stopped, .retrying, .finished, .failed, .cancelled: true
        case .submitted, .changed, .paused, .resumed, .waiting, .started, .progressed: false
        }
    }
}
