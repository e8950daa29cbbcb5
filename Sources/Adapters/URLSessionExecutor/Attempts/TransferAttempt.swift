// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// One attempt to carry a transfer out: performs what its state machine decides, and reports.
///
/// Downloads and uploads differ in their machines and in what they do with bytes.
protocol TransferAttempt: ExchangeReceiver {
    associatedtype Machine: AttemptStateMachine

    nonisolated var context: AttemptContext { get }
    var machine: Machine { get set }
    /// The request under way, but for those of pieces.
    var exchange: Exchange? { get set }
    /// The rate that the attempt is held to.
    var lane: RateLane? { get set }
    var answers: LatestAnswer { get set }
    var watch: SilenceWatch { get set }
    var isOver: Bool { get set }

    /// Prepares the files and sends the first request.
    func begin()
    /// Stops, after `AttemptContext.noteStop`.
    func stop()
    /// Called twice a second.
    func tick(now: UInt64)
    func perform(_ directive: Machine.Directive)
    /// Lets the machine decide.
    func decide<Decision>(_ body: (inout Machine) -> Decision) -> Decision
    /// Keeps `count` bytes of an answer's body.
    func keep(_ bytes: Data, _ count: Int)
    /// Lets go of the files, before the end is reported.
    func releaseFiles()
}

extension TransferAttempt {
    nonisolated var environment: ExecutorEnvironment { context.environment }
    nonisolated var consumer: ConsumerExecutor { environment.consumer }
    nonisolated var job: TransferJob { context.job }
    nonisolated var specification: TransferSpecification { job.specification }

    func decide<Decision>(_ body: (inout Machine) -> Decision) -> Decision { body(&machine) }

    /// Performs what was decided, in order.
    func perform(_ directives: [Machine.Directive]) {
        for directive in directives { perform(directive) }
    }

    /// Ends the attempt from outside.
    func interrupt(_ ending: Machine.Ending) {
        guard !isOver else { return }
        perform(decide { $0.interrupt(ending) })
    }

    func stop() { interrupt(.stopped) }

    /// Sends the first request of the machine, unless a stop was asked for meanwhile.
    func start() {
        if context.isStopping { return perform(decide { $0.interrupt(.stopped) }) }
        lane = environment.throttle.enter(job, isSending: isSending)
        perform(decide { $0.begin() })
    }

    /// Whether the transfer is an upload.
    private var isSending: Bool { specification.upload != nil }

    // MARK: Requests

    /// Sends the one request.
    func send(_ request: RequestHead, body: UploadBody? = nil) {
        watch.begin(now: MonotonicTime.now())
        answers.asked(request.url)
        exchange = exchange(for: request, body: body)
    }

    func exchange(for request: RequestHead, body: UploadBody? = nil) -> Exchange {
        // URLSession's own timer is the second line: ours does not count the time in which we hold it up ourselves.
        let timeout = specification.idleTimeoutSeconds.multipliedReportingOverflow(by: 2).partialValue
        return environment.client.send(
            request, body: body, timeoutSeconds: min(max(1, timeout), 86400) + 60, lane: lane, to: self)
    }

    func cancelRequest() {
        if let exchange { environment.client.cancel(exchange) }
    }

    /// The failure that an error of URLSession means.
    func failure(of error: SessionError) -> TransferFailure {
        SessionFailure.failure(
            code: error.code, text: error.text, host: machine.host, proxy: machine.request.proxy)
    }

    /// Gives the attempt up if its server has been silent or slow for too long.
    ///
    /// - Parameter idleLimit: the longest silence in seconds; nil for any.
    func giveUpIfSilent(now: UInt64, idleLimit: Int?) {
        let finding = watch.finding(now: now, idleLimit: idleLimit, configuration: environment.configuration) {
            environment.idleTime(since: $0, now: now, lane)
        }
        if let finding { interrupt(.failed(finding.failure(of: machine.host, isSending: isSending))) }
    }

    // MARK: What comes of the one request

    func take(_ head: ResponseHead, of exchange: Exchange) {
        guard !isOver, exchange === self.exchange else { return }
        // A server that takes an upload says so in interim answers.
        watch.moved(isSending ? 1 : 0, at: MonotonicTime.now())
        answers.answered(head)
        perform(decide { $0.received(head) })
    }

    func take(_ bytes: Data, of exchange: Exchange) {
        guard !isOver, exchange === self.exchange else { return }
        watch.moved(Int64(bytes.count), at: MonotonicTime.now())
        switch decide({ $0.received(bytes: bytes.count) }) {
        case .keep(let count): keep(bytes, count)
        case .drop: return
        case .instead(let directives): perform(directives)
        }
    }

    func takeEnd(_ error: SessionError?, of exchange: Exchange) {
        guard !isOver, exchange === self.exchange else { return }
        self.exchange = nil
        let failure = error.map { self.failure(of: $0) }
        perform(decide { $0.ended(failure) })
    }

    func exchange(_ exchange: Exchange, received head: ResponseHead) { take(head, of: exchange) }

    func exchange(_ exchange: Exchange, received bytes: Data) { take(bytes, of: exchange) }

    // MARK: Reports

    /// Reports, unless the attempt is over.
    func tell(_ what: ExecutorReport) {
        if !isOver { context.report(what) }
    }

    /// The last report.
    func end(_ outcome: ExecutorOutcome) {
        guard !isOver else { return }
        isOver = true
        releaseFiles()
        if let lane { environment.throttle.leave(lane) }
        context.onEnd()
        context.report(.ended(outcome))
    }
}
