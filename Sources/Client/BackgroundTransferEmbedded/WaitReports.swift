// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import Metrics
internal import Synchronization
internal import TransferEngine
public import TransferModel
public import TransferScheduling

/// A transfer that waits, and the reasons. An element of ``TransferService/waits()``.
public struct TransferWait: Hashable, Sendable {
    /// The ID of the transfer.
    public var id: TransferID
    /// The name of the file.
    public var name: String
    /// The reasons and what would end the wait, in one sentence for users.
    public var sentence: String
    /// The same reasons as data.
    public var explanation: Explanation
}

/// The reports of the reasons why transfers wait: a line in the log and an element of each stream for each change, and a
/// gauge for each reason.
final class WaitReports: Sendable {
    private struct State {
        var window: WatchWindow
        /// The transfers that wait.
        var waits: [TransferID: TransferWait] = [:]
        /// The number of waiting transfers for each reason that there has been.
        var counts: [String: Int] = [:]
        var gauges: [String: Gauge] = [:]
        var streams: [Int: AsyncStream<TransferWait>.Continuation] = [:]
        var nextStream = 0
        var hasEnded = false
    }

    /// The number of unfinished transfers, oldest first, about which the engine reports.
    let limit: Int
    private let state: Mutex<State>
    private let factory: any MetricsFactory
    private let logger: Logger
    private let watch: @Sendable (TransferID) -> Void

    /// Creates reports about no transfers.
    ///
    /// - Parameters:
    ///   - limit: The number of unfinished transfers, oldest first, about which the engine reports.
    ///   - watch: Makes the engine report why a transfer waits.
    init(limit: Int, metrics: any MetricsFactory, logger: Logger, watch: @escaping @Sendable (TransferID) -> Void) {
        state = Mutex(State(window: WatchWindow(size: limit)))
        (self.limit, factory, self.logger, self.watch) = (limit, metrics, logger, watch)
    }

    /// Includes unfinished transfers, as far as the limit allows.
    func add(_ ids: [TransferID]) { state.withLock { $0.window.add(ids) }.forEach(watch) }

    /// Returns whether the engine must report about the transfer.
    func include(_ id: TransferID) -> Bool { state.withLock { $0.window.contains(id) } }

    /// Returns the present reasons of all waiting transfers, and then each change, until the end of the service.
    func waits() -> AsyncStream<TransferWait> {
        let (stream, continuation) = AsyncStream.makeStream(of: TransferWait.self)
        let number: Int? = state.withLock { state in
            for wait in state.waits.values.sorted(by: { $0.id < $1.id }) { continuation.yield(wait) }
            guard !state.hasEnded else { return nil }
            state.nextStream += 1
            state.streams[state.nextStream] = continuation
            return state.nextStream
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.streams[number] = nil } }
        return stream
    }

    /// Reports an update of the engine, if it changes the reasons of a transfer.
    func handle(_ update: TransferUpdate, localTime: LocalTimeRules) {
        switch update.kind {
        case .submitted: add([update.id])
        case .waiting(let explanation), .stopped(let explanation, _), .retrying(let explanation, _, _):
            guard let status = update.status, !explanation.reasons.isEmpty else { return }
            let wait = TransferWait(
                id: update.id, name: status.name, sentence: explanation.fullSentence(localTime: localTime),
                explanation: explanation)
            if case .waiting = update.kind {
                // The log names the other causes of a wait itself, with the reason.
                logger.info(
                    "waiting", metadata: ["id": "\(wait.id)", "name": "\(wait.name)", "why": "\(wait.sentence)"])
            }
            state.withLock { state in
                count(wait, of: wait.id, in: &state)
                for stream in state.streams.values { stream.yield(wait) }
            }
        case .started: forget(update.id)
        case .finished, .failed, .cancelled:
            forget(update.id)
            state.withLock { $0.window.ended(update.id) }.forEach(watch)
        // These updates change no reason. A change of a reason follows as an update of its own.
        case .changed, .paused, .resumed, .progressed, .restarted, .deadline: break
        }
    }

    private func forget(_ id: TransferID) { state.withLock { count(nil, of: id, in: &$0) } }

    /// Replaces the reasons of a transfer, and reports the numbers that differ.
    private func count(_ wait: TransferWait?, of id: TransferID, in state: inout State) {
        let (before, after) = (state.waits[id]?.codes ?? [], wait?.codes ?? [])
        state.waits[id] = wait
        for code in before.subtracting(after) { state.counts[code, default: 0] -= 1 }
        for code in after.subtracting(before) { state.counts[code, default: 0] += 1 }
        for code in before.symmetricDifference(after).sorted() {
            let gauge =
                state.gauges[code] ?? Gauge(label: "transfer.waiting", dimensions: [("reason", code)], factory: factory)
            state.gauges[code] = gauge
            gauge.record(state.counts[code] ?? 0)
        }
    }

    /// Ends all streams, because the service has ended.
    func end() {
        let streams = state.withLock { state in
            state.hasEnded = true
            return state.streams.values.map(\.self)
        }
        for stream in streams { stream.finish() }
    }
}

extension TransferWait {
    fileprivate var codes: Set<String> { Set(explanation.reasons.map(\.reason.code)) }
}
