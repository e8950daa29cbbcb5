// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LinuxKernel
import Synchronization
public import TransferEngine
@_exported public import TransferFiles
public import TransferModel

/// Downloads and uploads files over a transport, in this process.
///
/// `DownloadStateMachine` and `UploadStateMachine` implement the HTTP exchanges.
///
/// The executor does not limit the number of concurrent attempts; the engine does. Memory is proportional to the
/// number of attempts. File sizes and the speed of the disk do not affect it.
///
/// ```swift
/// let executor = try HTTPExecutor(
///     configuration: HTTPExecutorConfiguration(partialDirectory: "/var/lib/example/partial"), transport: .curl)
/// executor.start(job) { report in print(report) }
/// ```
public final class HTTPExecutor: TransferExecutor {
    private struct State: Sendable {
        var attempts: [TransferID: any TransferAttempt] = [:]
        /// The uploads that are being deleted at their servers, by upload URL.
        var removals: [String: UploadRemoval] = [:]
        var isShutDown = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        var isIdle: Bool { attempts.isEmpty && removals.isEmpty }

        /// Removes and returns the continuations of the `shutdown()` calls once nothing runs.
        ///
        /// Returns an empty array as long as an attempt or a removal is running.
        mutating func removeContinuations() -> [CheckedContinuation<Void, Never>] {
            guard isIdle else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }
    let environment: ExecutorEnvironment
    private let state = Mutex(State())
    private let ticker: Ticker

    /// Creates an executor.
    ///
    /// - Parameters:
    ///   - configuration: The folders, limits, and network settings.
    ///   - transport: The network. `CurlTransport` and `URLSessionTransport` provide one each.
    /// - Throws: An error if the configuration is invalid, or if the transport does not support one of its settings.
    public convenience init(
        configuration: HTTPExecutorConfiguration, transport: Transport
    ) throws(HTTPExecutorError) {
        try self.init(configuration: configuration, transport: transport, didRun: nil)
    }

    /// Creates an executor whose reports can be collected and sent together.
    ///
    /// - Parameter didRun: A closure that is called after each piece of work that may have made reports.
    package init(
        configuration: HTTPExecutorConfiguration, transport: Transport, didRun: (@Sendable () -> Void)?
    ) throws(HTTPExecutorError) {
        try configuration.check()
        environment = try ExecutorEnvironment(
            configuration: configuration, transport: transport, consumer: ConsumerExecutor(didRun: didRun))
        ticker = Ticker(
            queue: environment.consumer.queue, interval: .milliseconds(500), leeway: .milliseconds(50))
    }

    /// Replaces the rate limits.
    ///
    /// Running transfers follow the new limits within a few tenths of a second.
    public func setLimits(_ limits: RateLimits) { environment.throttle.set(limits) }

    /// Starts an attempt.
    public func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        start(job, files: nil, reporting: report)
    }

    /// Starts an attempt whose files another component manages.
    ///
    /// - Parameters:
    ///   - job: The transfer to attempt.
    ///   - files: The manager of the attempt's files. If `nil`, the executor opens the paths in this process.
    ///   - report: A closure that receives the attempt's reports.
    package func start(
        _ job: TransferJob, files: (any AttemptFiles)?, reporting report: @escaping @Sendable (ExecutorReport) -> Void
    ) {
        let attempt = makeAttempt(job, files, reporting: report)
        enum Admission { case admitted, shutDown, alreadyRunning }
        let admission = state.withLock { state -> Admission in
            if state.isShutDown { return .shutDown }
            if state.attempts[job.id] != nil { return .alreadyRunning }
            state.attempts[job.id] = attempt
            ticker.use { [self] in tick() }
            return .admitted
        }
        switch admission {
        case .admitted:
            attempt.dispatch { $0.begin() }
        case .shutDown:
            environment.consumer.run { report(.ended(.stopped(job.resume))) }
        case .alreadyRunning:
            environment.consumer.run {
                report(.ended(.failed(.alreadyRunning(job.id), resume: job.resume)))
            }
        }
    }

    /// Stops the running attempt and keeps the bytes received so far.
    ///
    /// Does nothing if no attempt of the transfer is running.
    public func stop(_ id: TransferID) {
        guard let attempt = state.withLock({ $0.attempts[id] }) else { return }
        guard attempt.context.requestStop() else { return }
        // The consumer queue may be waiting for the disk or the rate limit.
        environment.admission.beginBypass()
        attempt.dispatch { [environment] in
            $0.stop()
            environment.admission.endBypass()
        }
        // The exchanges report their ends after the block above has run. The connections close immediately instead of
        // waiting for pending writes.
        for exchange in attempt.context.liveExchanges { environment.cancel(exchange) }
    }

    /// Removes the transfer's partial file and, if the server supports deletion, deletes its upload at the server.
    public func discard(_ job: TransferJob) {
        guard let resume = job.resume else { return }
        ExecutorFiles.discard(job)
        guard let source = job.specification.upload, let uploadURL = resume.upload?.url else { return }
        let plan = UploadPlan(job, source, environment)
        let removal = UploadRemoval(plan: plan, environment: environment) { [self] in forget(removalAt: uploadURL) }
        let begins = state.withLock { state in
            guard !state.isShutDown, state.removals[uploadURL] == nil else { return false }
            state.removals[uploadURL] = removal
            return true
        }
        if begins { removal.dispatch { $0.begin() } }
    }

    /// Returns the number of bytes that can still be written to the volumes of the partial file and the finished
    /// file.
    public func availableSpace(for specification: TransferSpecification) -> Int64? {
        ExecutorFiles.availableSpace(for: specification, configuration: environment.configuration)
    }

    /// Calls `reply` once every component that transfers depend on has made progress.
    ///
    /// Calls `reply` immediately while the disk or a rate limit delays transfers, because such a delay is not a fault.
    /// Never calls `reply` if the transport hangs.
    public func probe(_ reply: @escaping @Sendable () -> Void) {
        if environment.isStalled.load(ordering: .relaxed) { return reply() }
        environment.client.probe { [environment] in environment.consumer.run { reply() } }
    }

    /// Stops all attempts, waits for their ends, and frees the transport.
    public func shutdown() async {
        let running = state.withLock { state -> [TransferID] in
            state.isShutDown = true
            return state.attempts.keys.sorted()
        }
        for id in running { stop(id) }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.isIdle { state.waiting.append(continuation) }
                return state.isIdle
            }
            if isIdle { continuation.resume() }
        }
        ticker.rest()
        await environment.client.invalidate()
    }

    private func makeAttempt(
        _ job: TransferJob, _ files: (any AttemptFiles)?,
        reporting report: @escaping @Sendable (ExecutorReport) -> Void
    ) -> any TransferAttempt {
        let context = AttemptContext(
            job: job, environment: environment, files: files, onEnd: { [self] in forget(job.id) }, report: report)
        guard let source = job.specification.upload else { return DownloadAttempt(context) }
        return UploadAttempt(context, source: source)
    }

    private func forget(_ id: TransferID) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.attempts[id] = nil
            if state.attempts.isEmpty { ticker.rest() }
            return state.removeContinuations()
        }
        resume(waiting)
    }

    private func forget(removalAt uploadURL: String) {
        resume(
            state.withLock { state in
                state.removals[uploadURL] = nil
                return state.removeContinuations()
            })
    }

    private func resume(_ waiting: [CheckedContinuation<Void, Never>]) {
        // Resumes after the last report, which is made in the current block of this queue.
        environment.consumer.run { for continuation in waiting { continuation.resume() } }
    }

    private func tick() {
        let now = MonotonicTime.now()
        let attempts = state.withLock { $0.attempts }
        for id in attempts.keys.sorted() { attempts[id]?.assumeIsolated { $0.tick(now: now) } }
        environment.consumer.finishWork()
    }
}
