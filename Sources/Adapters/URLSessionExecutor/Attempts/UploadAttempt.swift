// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization
import TransferEngine
internal import TransferModel

/// One attempt to upload a file: carries out what the state machine decides, and reports.
final class UploadAttempt: TransferAttempt, @unchecked Sendable {
    // Guard: everything but `stopping` and `live` is used on the environment's consumer queue only.
    let job: TransferJob
    let source: UploadSource
    let environment: ExecutorEnvironment
    private let files: any AttemptFiles
    private let onEnd: @Sendable (ExecutorOutcome) -> Void
    private let report: @Sendable (ExecutorReport) -> Void
    private let stopping = Mutex(false)
    private let live = Mutex<Exchange?>(nil)

    var machine: UploadStateMachine
    var exchange: Exchange? {
        didSet { live.withLock { $0 = exchange } }
    }
    private var file: UploadFile?
    /// What the request under way sends.
    var body: UploadBody?
    /// The final answer so far.
    private var answer: ServerAnswer?
    var answers: AnswerKeeper
    var isOver = false

    /// The rate that it is held to.
    var lane: RateLane?
    var watch = SilenceWatch()
    /// How far the body was when that was looked at last.
    var countedPosition: Int64 = 0
    private var lastCheckpoint: UInt64 = 0
    private var reportedProgress: Int64 = -1
    private var reportedResume: ResumePoint?

    /// `onEnd` comes before the report of the end; without `files` they are this process's own affair.
    init(
        job: TransferJob, source: UploadSource, environment: ExecutorEnvironment, files: (any AttemptFiles)? = nil,
        onEnd: @escaping @Sendable (ExecutorOutcome) -> Void, report: @escaping @Sendable (ExecutorReport) -> Void
    ) {
        self.job = job
        self.source = source
        self.environment = environment
        self.files =
            files ?? LocalFiles(job: job, configuration: environment.configuration, calls: environment.fileCalls)
        self.onEnd = onEnd
        self.report = report
        answers = AnswerKeeper(job.specification)
        machine = UploadStateMachine(plan: Self.plan(job, source, environment))
    }

    static func plan(
        _ job: TransferJob, _ source: UploadSource, _ environment: ExecutorEnvironment
    ) -> UploadPlan {
        var plan = UploadPlan(request: RequestPlan(job.specification, environment), source: source)
        if job.resume?.total == source.size {
            plan.resume = job.resume?.upload
            plan.offset = job.resume?.offset ?? 0
        }
        return plan
    }

    var liveExchanges: [Exchange] { live.withLock { $0.map { [$0] } ?? [] } }

    func noteStop() -> Bool {
        stopping.withLock { stopping in
            defer { stopping = true }
            return !stopping
        }
    }

    /// Opens the file and sends the first request.
    func begin() {
        switch files.prepare() {
        case (.upload, let descriptor?): file = UploadFile(source, descriptor: descriptor)
        case (.unreadable(let failure), _): return end(.failed(failure, resume: nil))
        default: preconditionFailure("the files of an upload were prepared for a download")
        }
        reportedResume = machine.resumePoint
        if stopping.withLock({ $0 }) { return perform(machine.interrupt(.stopped)) }
        lane = environment.throttle.enter(job, isSending: true)
        perform(machine.begin())
    }

    func stop() {
        guard !isOver else { return }
        perform(decide { $0.interrupt(.stopped) })
    }

    /// Lets the machine decide, which wants to know first how far the body is.
    func decide<Decision>(_ body: (inout UploadStateMachine) -> Decision) -> Decision {
        machine.isBodySent = self.body?.isSent ?? true
        return body(&machine)
    }

    /// Carries out what was decided.
    func perform(_ directives: [UploadStateMachine.Directive]) {
        for directive in directives {
            switch directive {
            case .send(let request): send(request)
            case .cancelRequest: if let exchange { environment.client.cancel(exchange) }
            case .remember(let resume): remember(resume)
            case .startOver: startOver()
            case .keepAnswer(let head):
                answer = ServerAnswer(body: [], contentType: head.value("Content-Type"))
            case .end(let ending): end(ending)
            }
        }
    }

    private func send(_ request: RequestHead) {
        let now = MonotonicTime.now()
        answers.asked(request.url)
        watch.begin(now: now)
        body = nil
        if let range = request.body, let file {
            body = UploadBody(
                file: file, range: range,
                interval: UInt64(max(0, environment.configuration.progressInterval.wholeNanoseconds)),
                pace: { [environment, lane] in environment.paceUpload($0, lane) },
                onRead: { [weak self] in self?.bytesWentOut() })
            countedPosition = range.lowerBound
        }
        // URLSession's own timer is the second line: ours does not count the time in which we hold it up ourselves.
        let timeout = job.specification.idleTimeoutSeconds.multipliedReportingOverflow(by: 2).partialValue
        exchange = environment.client.send(
            request, body: body, timeoutSeconds: min(max(1, timeout), 86400) + 60, lane: lane, to: self)
    }

    private func remember(_ resume: ResumePoint) {
        let now = MonotonicTime.now()
        // The place is news at once; how much is there only now and then.
        let isDue = now >= lastCheckpoint + UInt64(max(0, environment.configuration.checkpointSeconds)) * 1_000_000_000
        guard resume != reportedResume, resume.upload != reportedResume?.upload || isDue else { return }
        lastCheckpoint = now
        reportedResume = resume
        tell(.checkpointed(resume))
    }

    private func startOver() {
        reportedResume = nil
        reportedProgress = -1
        tell(.restarted)
    }

    /// Keeps that much of the answer's body.
    func keep(_ bytes: Data, _ count: Int) {
        answer?.body += bytes.prefix(count)
        if count < bytes.count { answer?.isCut = true }
    }

    /// What the server has, and what has been given to the network after that.
    func tellProgress() {
        guard let position = body?.progress.position, position != reportedProgress else { return }
        reportedProgress = position
        tell(.progressed(bytes: position, total: source.size))
    }

    // MARK: The end

    private func end(_ ending: UploadStateMachine.Ending) {
        tellProgress()
        switch ending {
        case .answered(let status, let isCut):
            if status < 400, let change = file?.change() { return end(.failed(change, resume: nil)) }
            var answer = answer ?? ServerAnswer(body: [], contentType: nil)
            if isCut { answer.isCut = true }
            end(.finished(TransferCompletion(status: status, file: nil, answer: answer, response: answers.head)))
        case .failed(let failure) where failure.cause == .sourceChanged:
            end(.failed(failure, resume: nil))
        case .failed(let failure):
            end(.failed(failure, resume: lastResume))
        case .challenged(let challenges):
            end(.challenged(challenges, resume: lastResume))
        case .stopped:
            end(.stopped(lastResume))
        }
    }

    /// Where the next attempt goes on, told before the end as everything is that is kept.
    private var lastResume: ResumePoint? {
        let resume = machine.resumePoint
        if let resume, resume != reportedResume { tell(.checkpointed(resume)) }
        return resume
    }

    private func end(_ outcome: ExecutorOutcome) {
        guard !isOver else { return }
        isOver = true
        file = nil
        body = nil
        if let lane { environment.throttle.leave(lane) }
        onEnd(outcome)
        report(.ended(outcome))
    }

    /// Reports, unless the attempt is over.
    private func tell(_ what: ExecutorReport) {
        if !isOver { report(what) }
    }
}
