// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// An attempt to carry out a transfer. Performs the directives of its state machine and reports the results.
///
/// Downloads and uploads differ in their state machines and in their use of the bytes.
protocol TransferAttempt: ExchangeReceiver {
    associatedtype Machine: AttemptStateMachine

    nonisolated var context: AttemptContext { get }
    var machine: Machine { get set }
    /// The running request, except requests for segments.
    var exchange: Exchange? { get set }
    /// The rate limiter of the attempt.
    var rateLimiter: RateLimiter? { get set }
    var latestResponse: LatestResponse { get set }
    var stallDetector: StallDetector { get set }
    var isEnded: Bool { get set }

    /// Prepares the files and sends the first request.
    func begin()
    /// Stops the attempt. Called after `AttemptContext.requestStop`.
    func stop()
    /// Checks deadlines and reports progress. Called twice a second.
    func tick(now: UInt64)
    func perform(_ directive: Machine.Directive)
    /// Calls `body` with the state machine, and returns the result of `body`.
    func decide<Decision>(_ body: (inout Machine) -> Decision) -> Decision
    /// Keeps the first `count` bytes of `bytes`, the next part of a response's body.
    func keep(_ bytes: Data, _ count: Int)
    /// Closes the files. Called before the end is reported.
    func releaseFiles()
}

extension TransferAttempt {
    nonisolated var environment: ExecutorEnvironment { context.environment }
    nonisolated var consumer: ConsumerExecutor { environment.consumer }
    nonisolated var job: TransferJob { context.job }
    nonisolated var specification: TransferSpecification { job.specification }

    func decide<Decision>(_ body: (inout Machine) -> Decision) -> Decision { body(&machine) }

    /// Performs the directives in order.
    func perform(_ directives: [Machine.Directive]) {
        for directive in directives { perform(directive) }
    }

    /// Ends the attempt for a reason outside the state machine.
    func interrupt(_ ending: Machine.Ending) {
        guard !isEnded else { return }
        perform(decide { $0.interrupt(ending) })
    }

    func stop() { interrupt(.stopped) }

    /// Sends the machine's first request, unless a stop was requested in the meantime.
    func start() {
        if context.isStopping { return perform(decide { $0.interrupt(.stopped) }) }
        rateLimiter = environment.throttle.enter(job, isSending: isSending)
        perform(decide { $0.begin() })
    }

    /// A Boolean value that indicates whether the transfer is an upload.
    private var isSending: Bool { specification.upload != nil }

    // MARK: Requests

    /// Sends a request and makes it the attempt's running request.
    func send(_ request: RequestHead, body: UploadBody? = nil) {
        stallDetector.begin(now: MonotonicTime.now())
        latestResponse.requestSent(request.url)
        exchange = exchange(for: request, body: body)
    }

    func exchange(for request: RequestHead, body: UploadBody? = nil) -> Exchange {
        // The transport's own timer is only a second line of defense. The attempt's timer excludes the delays that this
        // process causes.
        let timeout = specification.idleTimeoutSeconds.multipliedReportingOverflow(by: 2).partialValue
        return environment.send(
            request, body: body, timeoutSeconds: min(max(1, timeout), 86400) + 60, rateLimiter: rateLimiter,
            check: environment.addressCheck(of: request.url, machine.request), to: self)
    }

    func cancelRequest() {
        if let exchange { environment.cancel(exchange) }
    }

    /// Returns the failure for an error of the transport.
    func failure(of error: TransportError) -> TransferFailure {
        TransportFailure.failure(
            code: error.code, text: error.text, host: machine.host, proxy: machine.request.proxy)
    }

    /// Ends the attempt if its server has been silent or slow for too long.
    ///
    /// - Parameters:
    ///   - now: The current time in nanoseconds of `MonotonicTime`.
    ///   - idleLimit: The longest silence in seconds. If `nil`, silence is not a fault.
    func giveUpIfSilent(now: UInt64, idleLimit: Int?) {
        let fault = stallDetector.fault(now: now, idleLimit: idleLimit, configuration: environment.configuration) {
            environment.idleTime(since: $0, now: now, rateLimiter)
        }
        if let fault { interrupt(.failed(fault.failure(of: machine.host, isSending: isSending))) }
    }

    // MARK: Events of the running request

    func handle(_ head: ResponseHead, of exchange: Exchange) {
        guard !isEnded, exchange === self.exchange else { return }
        // A server that accepts an upload reports its progress in interim responses.
        stallDetector.moved(isSending ? 1 : 0, at: MonotonicTime.now())
        latestResponse.headReceived(head)
        perform(decide { $0.received(head) })
    }

    func handle(_ bytes: Data, of exchange: Exchange) {
        guard !isEnded, exchange === self.exchange else { return }
        stallDetector.moved(Int64(bytes.count), at: MonotonicTime.now())
        switch decide({ $0.received(bytes: bytes.count) }) {
        case .keep(let count): keep(bytes, count)
        case .drop: return
        case .instead(let directives): perform(directives)
        }
    }

    func handleEnd(_ error: TransportError?, of exchange: Exchange) {
        guard !isEnded, exchange === self.exchange else { return }
        self.exchange = nil
        let failure = error.map { self.failure(of: $0) }
        perform(decide { $0.ended(failure) })
    }

    func exchange(_ exchange: Exchange, received head: ResponseHead) { handle(head, of: exchange) }

    func exchange(_ exchange: Exchange, received bytes: Data) { handle(bytes, of: exchange) }

    // MARK: Reports

    /// Sends a report, unless the attempt has ended.
    func report(_ what: ExecutorReport) {
        if !isEnded { context.report(what) }
    }

    /// Ends the attempt and sends its last report.
    func end(_ outcome: ExecutorOutcome) {
        guard !isEnded else { return }
        isEnded = true
        releaseFiles()
        if let rateLimiter { environment.throttle.leave(rateLimiter) }
        context.onEnd()
        context.report(.ended(outcome))
    }
}
