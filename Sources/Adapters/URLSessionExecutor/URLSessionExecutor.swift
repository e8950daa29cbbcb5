// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LinuxKernel
import Synchronization
public import TransferEngine
@_exported public import TransferFiles
public import TransferModel
import URLSessionRepair

/// Fetches and uploads files with FoundationNetworking's URLSession, in this process.
///
/// One session, data tasks only, whatever the server does: see DownloadStateMachine and UploadStateMachine for the
/// protocols. The executor sets
/// no bound on how many attempts run at once; that is the engine's affair. Memory is bounded by the number of attempts,
/// not by sizes or by the speed of the disk.
public final class URLSessionExecutor: TransferExecutor {
    private struct State: Sendable {
        var attempts: [TransferID: any TransferAttempt] = [:]
        /// Uploads that are being deleted at their servers, by where they are.
        var removals: [String: UploadRemoval] = [:]
        var isShutDown = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        var isIdle: Bool { attempts.isEmpty && removals.isEmpty }

        /// Who waits for the end, where all has ended.
        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            guard isIdle else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }
    private let environment: ExecutorEnvironment
    private let state = Mutex(State())
    private let ticker: Ticker

    /// Makes an executor, and puts the repair in place where it is wanted.
    public init(configuration: URLSessionExecutorConfiguration) throws(URLSessionExecutorError) {
        let repair = try Self.installRepair(configuration)
        repairWarning = repair.warning
        environment = ExecutorEnvironment(configuration: configuration, isRepaired: repair.isAtWork)
        ticker = Ticker(
            queue: environment.consumer.queue, interval: .milliseconds(500), leeway: .milliseconds(50))
    }

    /// Whether FoundationNetworking's faults are mended in this executor.
    public var isRepaired: Bool { environment.isRepaired }

    /// A sentence for the log where the repair could not be put in place, or was never tested with this build of
    /// FoundationNetworking; nil where all is well or the repair is switched off.
    public let repairWarning: String?

    /// Changes the limits, for what runs too: within some tenths of a second.
    public func setLimits(_ limits: RateLimits) { environment.throttle.set(limits) }

    /// Begins an attempt.
    public func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        start(job, files: nil, reporting: report)
    }

    /// Begins an attempt whose files somebody else looks after; nil works on the paths here.
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
            environment.consumer.queue.async { report(.ended(.stopped(job.resume))) }
        case .alreadyRunning:
            environment.consumer.queue.async {
                report(.ended(.failed(.alreadyRunning(job.id), resume: job.resume)))
            }
        }
    }

    /// Ends the attempt that runs, keeping its bytes.
    public func stop(_ id: TransferID) {
        guard let attempt = state.withLock({ $0.attempts[id] }) else { return }
        guard attempt.context.noteStop() else { return }
        // The consumer may be waiting for the disk or the rate limit.
        environment.gate.beginHurry()
        attempt.dispatch { [environment] in
            $0.stop()
            environment.gate.endHurry()
        }
        // Its end is told after the block above: the wire need not wait for what is still to be written.
        for exchange in attempt.context.liveExchanges {
            exchange.lane?.stop()
            environment.client.cancel(exchange)
        }
    }

    /// Removes a partial file; has an upload deleted at the server where that is offered.
    public func discard(_ job: TransferJob) {
        guard let resume = job.resume else { return }
        ExecutorFiles.discard(job)
        guard let source = job.specification.upload, let place = resume.upload?.url else { return }
        let plan = UploadPlan(job, source, environment)
        let removal = UploadRemoval(plan: plan, environment: environment) { [self] in forget(removalAt: place) }
        let begins = state.withLock { state in
            guard !state.isShutDown, state.removals[place] == nil else { return false }
            state.removals[place] = removal
            return true
        }
        if begins { removal.dispatch { $0.begin() } }
    }

    /// How much may still be written where the partial and the finished file go.
    public func availableSpace(for specification: TransferSpecification) -> Int64? {
        ExecutorFiles.availableSpace(for: specification, configuration: environment.configuration)
    }

    /// Calls `answer` once every part that a transfer needs has been seen to move; at once while the disk or a rate limit
    /// holds them up, which is no fault. Never calls it where URLSession hangs.
    public func probe(_ answer: @escaping @Sendable () -> Void) {
        if environment.isHeldUp.load(ordering: .relaxed) { return answer() }
        environment.client.probe { [environment] in environment.consumer.queue.async { answer() } }
    }

    /// Stops every attempt and lets go of the session.
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
            return state.takeWaiting()
        }
        resume(waiting)
    }

    private func forget(removalAt place: String) {
        resume(
            state.withLock { state in
                state.removals[place] = nil
                return state.takeWaiting()
            })
    }

    private func resume(_ waiting: [CheckedContinuation<Void, Never>]) {
        // After the last report, which the same block of the queue makes.
        environment.consumer.queue.async { for continuation in waiting { continuation.resume() } }
    }

    private func tick() {
        let now = MonotonicTime.now()
        let attempts = state.withLock { $0.attempts }
        for id in attempts.keys.sorted() { attempts[id]?.assumeIsolated { $0.tick(now: now) } }
    }

    private static func installRepair(
        _ configuration: URLSessionExecutorConfiguration
    ) throws(URLSessionExecutorError) -> Repair {
        try configuration.check()
        let repair = Repair.install(
            isEnabled: configuration.wantsRepair, bufferSize: ExecutorEnvironment.blockSize,
            caFile: configuration.caFile, proxy: configuration.proxy)
        if !repair.isAtWork, let error = configuration.needsRepair { throw error }
        return repair
    }
}
