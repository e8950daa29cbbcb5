// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
internal import TransferEngine
internal import TransferModel
internal import TransferScheduling

/// The streams to the callers that follow transfers.
final class TransferFollowers: Sendable {
    /// A change of a followed transfer.
    struct Step: Sendable {
        var status: TransferStatus
        /// The outcome, if the transfer has ended.
        var ending: TransferEnding?
    }

    private struct Follower {
        /// The transfer that is followed, or `nil` for all transfers.
        var id: TransferID?
        /// Whether the follower is told why the transfer waits.
        var isExplained: Bool
        var stream: AsyncStream<Step>.Continuation
    }

    private struct State {
        var next = 0
        var followers: [Int: Follower] = [:]
        var hasEnded = false

        func explains(_ id: TransferID) -> Bool { followers.values.contains { $0.id == id && $0.isExplained } }
    }

    private let state = Mutex(State())
    private let watch: @Sendable (_ id: TransferID, _ isWatched: Bool) -> Void

    /// Creates an empty collection of streams.
    ///
    /// - Parameter watch: Makes the engine report why a transfer waits, or stops the reports.
    init(watch: @escaping @Sendable (_ id: TransferID, _ isWatched: Bool) -> Void) { self.watch = watch }

    /// Whether the service has ended, so that no step will follow.
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// Returns the steps of a transfer from now on, until its end or the end of the service. A slow consumer misses
    /// all but the latest step.
    ///
    /// - Parameter initial: Returns the first step, while no other step can be sent. With `nil`, the first step is the
    ///   next change, and the reasons for a wait are not reported.
    func steps(of id: TransferID, after initial: (() -> Step)? = nil) -> AsyncStream<Step> {
        let (steps, stream) = AsyncStream.makeStream(of: Step.self, bufferingPolicy: .bufferingNewest(1))
        add(Follower(id: id, isExplained: initial != nil, stream: stream), after: initial)
        return steps
    }

    /// Returns the steps of all transfers from now on, until the end of the service. Unread steps are buffered
    /// without a limit.
    func allSteps() -> AsyncStream<Step> {
        let (steps, stream) = AsyncStream.makeStream(of: Step.self)
        add(Follower(id: nil, isExplained: false, stream: stream), after: nil)
        return steps
    }

    private func add(_ follower: Follower, after initial: (() -> Step)?) {
        let number: Int? = state.withLock { state in
            let first = initial?()
            if let first { follower.stream.yield(first) }
            guard !state.hasEnded, first?.status.state.isEnded != true else { return nil }
            state.next += 1
            state.followers[state.next] = follower
            return state.next
        }
        guard let number else { return follower.stream.finish() }
        if let id = follower.id, follower.isExplained { watch(id, true) }
        follower.stream.onTermination = { [weak self] _ in self?.remove(number) }
    }

    private func remove(_ number: Int) {
        let unwatched: TransferID? = state.withLock { state in
            guard let follower = state.followers.removeValue(forKey: number), let id = follower.id,
                follower.isExplained, !state.explains(id)
            else { return nil }
            return id
        }
        if let unwatched { watch(unwatched, false) }
    }

    /// Sends an update of the engine to the followers of its transfer.
    func send(_ update: TransferUpdate, localTime: LocalTimeRules) {
        guard var status = update.status else { return }
        status.sentence = update.kind.explanation?.fullSentence(localTime: localTime)
        let step = Step(status: status, ending: update.kind.ending)
        let ended: [AsyncStream<Step>.Continuation] = state.withLock { state in
            var ended: [AsyncStream<Step>.Continuation] = []
            for follower in state.followers.values where follower.id == nil || follower.id == update.id {
                follower.stream.yield(step)
                if follower.id != nil, status.state.isEnded { ended.append(follower.stream) }
            }
            return ended
        }
        // Outside the lock, because the end of a stream removes it.
        for stream in ended { stream.finish() }
    }

    /// Ends all streams, because the service has ended.
    func end() {
        let all = state.withLock { state in
            state.hasEnded = true
            return state.followers.values.map(\.stream)
        }
        for stream in all { stream.finish() }
    }
}

extension TransferUpdate.Kind {
    /// The reasons why the transfer waits, if the update reports them.
    fileprivate var explanation: Explanation? {
        switch self {
        case .waiting(let explanation), .stopped(let explanation, _), .retrying(let explanation, _, _): explanation
        case .submitted, .changed, .paused, .resumed, .started, .restarted, .progressed, .finished, .failed, .cancelled,
            .deadline:
            nil
        }
    }

    /// The outcome of the transfer, if the update reports its end.
    fileprivate var ending: TransferEnding? {
        switch self {
        case .finished(let completion): .completed(completion)
        case .failed(let failure): .failed(failure)
        case .cancelled: .cancelled
        case .submitted, .changed, .paused, .resumed, .waiting, .started, .restarted, .progressed, .stopped, .retrying,
            .deadline:
            nil
        }
    }
}
