// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
public import TransferEngine
public import TransferModel

/// An executor that transfers nothing. A test determines the result of each attempt.
///
/// The executor keeps its contract whatever the test does. Reports occur only during an attempt, exactly one `ended`
/// report closes the attempt, and no report follows.
///
/// ```swift
/// let executor = FakeExecutor()
/// // Run an engine with the executor and submit a transfer, then:
/// executor.progress(id, to: 500, of: 1000)
/// executor.finish(id)
/// ```
///
/// ## Topics
///
/// ### Creating an Executor
/// - ``init(onCall:)``
///
/// ### Inspecting Calls
/// - ``calls``
/// - ``log``
/// - ``faults``
/// - ``running``
/// - ``specification(of:)``
/// - ``path(_:)``
///
/// ### Configuring Answers
/// - ``setAvailableSpace(_:)``
/// - ``setStopsAtOnce(_:)``
///
/// ### Reporting
/// - ``progress(_:to:of:)``
/// - ``checkpoint(_:at:of:)``
/// - ``answer(_:after:)``
/// - ``restart(_:)``
///
/// ### Ending Attempts
/// - ``finish(_:status:)``
/// - ``fail(_:_:retryAfterSeconds:by:)``
/// - ``challenge(_:_:)``
/// - ``runOutOfSpace(_:needed:available:)``
/// - ``stopped(_:)``
public final class FakeExecutor: TransferExecutor {
    /// The calls that an engine makes.
    public enum Call: Hashable, Sendable {
        /// An attempt was started and continues from the given offset.
        case start(TransferID, offset: Int64)
        /// The engine stopped an attempt.
        case stop(TransferID)
        /// A partial file was removed.
        case discard(path: String)
        /// The available space was queried.
        case measure
        /// The executor was shut down.
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

    /// The calls of the engine as they occur, for a single consumer.
    public let calls: AsyncStream<Call>

    /// Creates an executor without attempts.
    ///
    /// - Parameter onCall: A closure that runs within each call, for tests of the order of calls to several ports.
    public init(onCall: @escaping @Sendable (Call) -> Void = { _ in }) {
        self.onCall = onCall
        (calls, callContinuation) = AsyncStream.makeStream()
    }

    // MARK: Controlled by the test

    /// All calls so far.
    public var log: [Call] { state.withLock(\.calls) }

    /// Descriptions of the engine's violations of the contract.
    public var faults: [String] { state.withLock(\.faults) }

    /// The transfers with an attempt in progress, sorted.
    public var running: [TransferID] { state.withLock { $0.attempts.keys.sorted() } }

    /// Sets the result of `availableSpace`.
    public func setAvailableSpace(_ bytes: Int64?) { state.withLock { $0.space = bytes } }

    /// Sets whether a stop ends the attempt immediately (the default) or waits for `stopped(_:)`.
    public func setStopsAtOnce(_ isOn: Bool) { state.withLock { $0.stopsAtOnce = isOn } }

    /// Reports received bytes that are not durable yet.
    public func progress(_ id: TransferID, to bytes: Int64, of total: Int64? = nil) {
        send(id) { attempt in
            attempt.bytes = bytes
            return .progressed(bytes: bytes, total: total)
        }
    }

    /// Reports durable bytes.
    public func checkpoint(_ id: TransferID, at bytes: Int64, of total: Int64? = nil) {
        send(id) { attempt in
            attempt.bytes = bytes
            return .checkpointed(Self.point(attempt, total: total))
        }
    }

    /// Reports that the partial file was discarded and the attempt started over.
    public func restart(_ id: TransferID) {
        send(id) { attempt in
            attempt.bytes = 0
            return .restarted(.notResumable)
        }
    }

    /// Ends an attempt with a complete response. The default status is 200.
    public func finish(_ id: TransferID, status: Int = 200) {
        end(id) { attempt in
            if attempt.job.specification.upload != nil {
                let answer = UploadResponse(body: [], contentType: nil)
                return .finished(TransferCompletion(status: status, file: nil, answer: answer))
            }
            let path = attempt.job.specification.destination.directory + "/file-\(id)"
            return .finished(
                TransferCompletion(
                    status: status,
                    file: CompletedFile(path: path, bytes: attempt.bytes, modified: 0, validator: nil)))
        }
    }

    /// Ends an attempt with a failure. If no server is named, the transfer's own server requests the wait.
    public func fail(
        _ id: TransferID, _ cause: FailureCause, retryAfterSeconds: Int64? = nil, by server: String? = nil
    ) {
        end(id) { attempt in
            let server = server ?? TransferSpecification.Server(attempt.job.specification.url)?.origin
            return .failed(
                TransferFailure(
                    cause: cause, message: cause.phrase, retryAfterSeconds: retryAfterSeconds,
                    retryAfterServer: retryAfterSeconds == nil ? nil : server),
                resume: Self.point(attempt))
        }
    }

    /// Reports the head of the first response.
    public func answer(_ id: TransferID, after delay: Duration) { send(id) { _ in .responded(after: delay) } }

    /// Ends an attempt because the server requires authentication.
    public func challenge(_ id: TransferID, _ challenges: [AuthenticationChallenge]) {
        end(id) { .challenged(challenges, resume: Self.point($0)) }
    }

    /// Returns the specification of the attempt in progress, or `nil` if there is none.
    public func specification(of id: TransferID) -> TransferSpecification? {
        state.withLock { $0.attempts[id]?.job.specification }
    }

    /// Ends an attempt for lack of space. Both sizes are in bytes.
    public func runOutOfSpace(_ id: TransferID, needed: Int64?, available: Int64) {
        end(id) { .storageLow(needed: needed, available: available, resume: Self.point($0)) }
    }

    /// Ends an attempt that the engine has stopped. Needed only if stops do not end attempts immediately.
    public func stopped(_ id: TransferID) { end(id) { .stopped(Self.point($0)) } }

    // MARK: TransferExecutor

    /// Starts an attempt. After `shutdown`, the attempt ends immediately as stopped.
    public func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        let isAdmitted = state.withLock { state in
            guard !state.isShutDown else { return false }
            if state.attempts[job.id] != nil { state.faults.append("\(job.id) was started while it ran") }
            state.attempts[job.id] = Attempt(job: job, report: report, bytes: job.resume?.offset ?? 0)
            return true
        }
        record(.start(job.id, offset: job.resume?.offset ?? 0))
        if !isAdmitted { report(.ended(.stopped(job.resume))) }
    }

    /// Stops an attempt, immediately or when the test calls `stopped(_:)`.
    public func stop(_ id: TransferID) {
        let isAtOnce = state.withLock { state in
            state.attempts[id]?.isStopping = true
            return state.stopsAtOnce
        }
        record(.stop(id))
        if isAtOnce { stopped(id) }
    }

    /// Records the removal of the job's partial file.
    public func discard(_ job: TransferJob) {
        guard let resume = job.resume else { return }
        state.withLock { state in
            if state.attempts.values.contains(where: { Self.path($0.job.id) == resume.path }) {
                state.faults.append("\(resume.path) was removed under a running attempt")
            }
        }
        record(.discard(path: resume.path))
    }

    /// Returns the free space that the test has set, in bytes.
    public func availableSpace(for specification: TransferSpecification) -> Int64? {
        record(.measure)
        return state.withLock(\.space)
    }

    /// Ends all attempts as stopped.
    public func shutdown() async {
        state.withLock { $0.isShutDown = true }
        record(.shutdown)
        for id in running { stopped(id) }
    }

    /// Returns the path of a transfer's partial file. The file does not exist.
    public static func path(_ id: TransferID) -> String { "/partial/\(id)" }

    // MARK: Implementation

    private func record(_ call: Call) {
        state.withLock { $0.calls.append(call) }
        onCall(call)
        callContinuation.yield(call)
    }

    private func send(_ id: TransferID, _ make: (inout Attempt) -> ExecutorReport) {
        // The lock is held while reporting, so that reports stay in order. The engine only puts them in its inbox.
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
