// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
public import TransferEngine
public import TransferModel

/// An executor that moves nothing: a test says what becomes of each attempt.
///
/// It keeps the contract whatever the script says: reports come only while an attempt is under way, exactly one
/// `ended` closes it, and none follows.
public final class FakeExecutor: TransferExecutor {
    /// What the engine asked for.
    public enum Call: Hashable, Sendable {
        /// An attempt was begun, with these bytes to continue from.
        case start(TransferID, offset: Int64)
        /// An attempt was told to stop.
        case stop(TransferID)
        /// A partial file was removed.
        case discard(path: String)
        /// Room was measured.
        case measure
        /// The end.
        case shutdown
    }

    private struct Attempt {
        var job: TransferJob
        var report: @Sendable (ExecutorReport) -> Void
        var bytes: Int64
        var isStopping = false
    }

    private struct State {
        var attempts: [TransferID: Attempt] = [:]
        var calls: [Call] = []
        var faults: [String] = []
        var space: Int64?
        var stopsAtOnce = true
        var isShutDown = false
    }

    private let state = Mutex(State())
    private let onCall: @Sendable (Call) -> Void
    private let callContinuation: AsyncStream<Call>.Continuation

    /// Everything the engine asks for, as it comes. One consumer.
    public let calls: AsyncStream<Call>

    /// An executor.
    ///
    /// - Parameter onCall: called within each call, for tests that watch the order of calls to several ports.
    public init(onCall: @escaping @Sendable (Call) -> Void = { _ in }) {
        self.onCall = onCall
        (calls, callContinuation) = AsyncStream.makeStream()
    }

    // MARK: What a test sets and sees

    /// Everything asked for so far.
    public var log: [Call] { state.withLock(\.calls) }

    /// What the engine did that the contract forbids.
    public var faults: [String] { state.withLock(\.faults) }

    /// The transfers with an attempt under way, in order.
    public var running: [TransferID] { state.withLock { $0.attempts.keys.sorted() } }

    /// What `availableSpace` answers.
    public func setAvailableSpace(_ bytes: Int64?) { state.withLock { $0.space = bytes } }

    /// Whether a stop is answered at once (the default), or left to `stopped(_:)`.
    public func setStopsAtOnce(_ isOn: Bool) { state.withLock { $0.stopsAtOnce = isOn } }

    /// Reports bytes, not yet durable ones.
    public func progress(_ id: TransferID, to bytes: Int64, of total: Int64? = nil) {
        send(id) { attempt in
            attempt.bytes = bytes
            return .progressed(bytes: bytes, total: total)
        }
    }

    /// Reports what is durable.
    public func checkpoint(_ id: TransferID, at bytes: Int64, of total: Int64? = nil) {
        send(id) { attempt in
            attempt.bytes = bytes
            return .checkpointed(Self.point(attempt, total: total))
        }
    }

    /// Reports that the partial file was given up.
    public func restart(_ id: TransferID) {
        send(id) { attempt in
            attempt.bytes = 0
            return .restarted
        }
    }

    /// Ends an attempt with a complete answer.
    public func finish(_ id: TransferID, status: Int = 200) {
        end(id) { attempt in
            if attempt.job.specification.upload != nil {
                let answer = ServerAnswer(body: [], contentType: nil)
                return .finished(TransferCompletion(status: status, file: nil, answer: answer))
            }
            let path = attempt.job.specification.destination.directory + "/file-\(id)"
            return .finished(
                TransferCompletion(
                    status: status,
                    file: CompletedFile(path: path, bytes: attempt.bytes, modified: 0, validator: nil)))
        }
    }

    /// Ends an attempt with a failure.
    public func fail(_ id: TransferID, _ cause: FailureCause, retryAfterSeconds: Int64? = nil) {
        end(id) { attempt in
            .failed(
                TransferFailure(cause: cause, message: cause.phrase, retryAfterSeconds: retryAfterSeconds),
                resume: Self.point(attempt))
        }
    }

    /// Reports the head of the first answer.
    public func answer(_ id: TransferID, after delay: Duration) { send(id) { _ in .answered(after: delay) } }

    /// Ends an attempt because its server wants a login.
    public func challenge(_ id: TransferID, _ challenges: [AuthenticationChallenge]) {
        end(id) { .challenged(challenges, resume: Self.point($0)) }
    }

    /// The specification that the attempt under way was started with; nil where there is none.
    public func specification(of id: TransferID) -> TransferSpecification? {
        state.withLock { $0.attempts[id]?.job.specification }
    }

    /// Ends an attempt for lack of room.
    public func runOutOfSpace(_ id: TransferID, needed: Int64?, available: Int64) {
        end(id) { .storageLow(needed: needed, available: available, resume: Self.point($0)) }
    }

    /// Ends an attempt that was told to stop, where stops are not answered at once.
    public func stopped(_ id: TransferID) { end(id) { .stopped(Self.point($0)) } }

    // MARK: The port

    /// Begins an attempt; after `shutdown` it ends at once as stopped.
    public func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        let isAdmitted = state.withLock { state in
            guard !state.isShutDown else { return false }
            if state.attempts[job.id] != nil { state.faults.append("\(job.id) was started while it ran") }
            state.attempts[job.id] = Attempt(job: job, report: report, bytes: job.resume?.offset ?? 0)
            return true
        }
        note(.start(job.id, offset: job.resume?.offset ?? 0))
        if !isAdmitted { report(.ended(.stopped(job.resume))) }
    }

    /// Ends the attempt, at once or when the test says so.
    public func stop(_ id: TransferID) {
        let isAtOnce = state.withLock { state in
            state.attempts[id]?.isStopping = true
            return state.stopsAtOnce
        }
        note(.stop(id))
        if isAtOnce { stopped(id) }
    }

    /// Notes the removal.
    public func discard(_ job: TransferJob) {
        guard let resume = job.resume else { return }
        state.withLock { state in
            if state.attempts.values.contains(where: { Self.path($0.job.id) == resume.path }) {
                state.faults.append("\(resume.path) was removed under a running attempt")
            }
        }
        note(.discard(path: resume.path))
    }

    /// The room that the test has set.
    public func availableSpace(for specification: TransferSpecification) -> Int64? {
        note(.measure)
        return state.withLock(\.space)
    }

    /// Ends every attempt as stopped.
    public func shutdown() async {
        state.withLock { $0.isShutDown = true }
        note(.shutdown)
        for id in running { stopped(id) }
    }

    /// Where the partial file of a transfer would be.
    public static func path(_ id: TransferID) -> String { "/partial/\(id)" }

    // MARK: Inside

    private func note(_ call: Call) {
        state.withLock { $0.calls.append(call) }
        onCall(call)
        callContinuation.yield(call)
    }

    private func send(_ id: TransferID, _ make: (inout Attempt) -> ExecutorReport) {
        // The lock is kept while reporting, so that reports keep their order; the engine only puts them in its inbox.
        state.withLock { state in
            guard var attempt = state.attempts[id] else { return }
            let report = make(&attempt)
            state.attempts[id] = attempt
            attempt.report(report)
        }
    }

    private func end(_ id: TransferID, _ make: (Attempt) -> ExecutorOutcome) {
        state.withLock { state in
            guard let attempt = state.attempts.removeValue(forKey: id) else { return }
            attempt.report(.ended(make(attempt)))
        }
    }

    private static func point(_ attempt: Attempt, total: Int64? = nil) -> ResumePoint? {
        guard attempt.bytes > 0 else { return nil }
        return point(attempt, total: total) as ResumePoint
    }

    private static func point(_ attempt: Attempt, total: Int64?) -> ResumePoint {
        ResumePoint(
            path: path(attempt.job.id), offset: attempt.bytes, total: total ?? attempt.job.resume?.total,
            validator: Validator(entityTag: "\"v\"", lastModified: nil), bootID: "boot")
    }
}
