// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel
internal import TransferEngine
internal import TransferModel

/// An attempt to upload a file.
actor UploadAttempt: TransferAttempt {
    nonisolated let context: AttemptContext
    nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }
    let source: UploadSource

    var machine: UploadStateMachine
    var exchange: Exchange? {
        didSet { context.liveExchanges = [exchange].compactMap { $0 } }
    }
    var rateLimiter: RateLimiter?
    var latestResponse: LatestResponse
    var stallDetector = StallDetector()
    var isEnded = false
    private var file: UploadFile?
    /// The body of the running request.
    var body: UploadBody?
    /// The final response received so far.
    private var answer: UploadResponse?
    /// The position in the body at the last count.
    var countedPosition: Int64 = 0
    private var reports: ReportSchedule
    private var reportedResume: ResumePoint?

    init(_ context: AttemptContext, source: UploadSource) {
        self.context = context
        self.source = source
        latestResponse = LatestResponse(context.job.specification)
        reports = ReportSchedule(context.environment.configuration)
        machine = UploadStateMachine(plan: UploadPlan(context.job, source, context.environment))
    }

    func begin() {
        switch context.files.prepare(isStopped: { context.isStopping }) {
        case (.upload, let descriptor?): file = UploadFile(source, descriptor: descriptor)
        case (.unreadable(let failure), _): return end(.failed(failure, resume: nil))
        default: preconditionFailure("the files of an upload were prepared for a download")
        }
        reportedResume = machine.resumePoint
        start()
    }

    /// Calls `body` with the state machine after updating `isBodySent`. The machine's decisions depend on this value.
    func decide<Decision>(_ body: (inout UploadStateMachine) -> Decision) -> Decision {
        machine.isBodySent = self.body?.isSent ?? true
        return body(&machine)
    }

    func perform(_ directive: UploadStateMachine.Directive) {
        switch directive {
        case .send(let request):
            body = body(of: request)
            send(request, body: body)
        case .cancelRequest: cancelRequest()
        case .remember(let resume): remember(resume)
        case .restart: restart()
        case .keepResponse(let head): answer = UploadResponse(body: [], contentType: head.value("Content-Type"))
        case .end(let ending): end(ending)
        }
    }

    private func body(of request: RequestHead) -> UploadBody? {
        guard let range = request.body, let file else { return nil }
        countedPosition = range.lowerBound
        return UploadBody(
            file: file, range: range,
            interval: UInt64(max(0, environment.configuration.progressInterval.wholeNanoseconds)),
            pace: { [environment, rateLimiter] in environment.paceUpload($0, rateLimiter) },
            onRead: { [weak self] in self?.dispatch { $0.bytesWereRead() } })
    }

    private func remember(_ resume: ResumePoint) {
        let now = MonotonicTime.now()
        // A new upload URL is reported immediately. A new offset is reported only when a checkpoint is due.
        let isDue = resume.upload != reportedResume?.upload || reports.wantsCheckpoint(now: now)
        guard resume != reportedResume, isDue else { return }
        reports.checkpoint(now: now)
        reportedResume = resume
        report(.checkpointed(resume))
    }

    private func restart() {
        reportedResume = nil
        reports.restart()
        report(.restarted(.bytesMissing))
    }

    /// Keeps the first `count` bytes of a response's body.
    func keep(_ bytes: Data, _ count: Int) {
        answer?.body += bytes.prefix(count)
        if count < bytes.count { answer?.isCut = true }
    }

    /// Reports the bytes that the server has, plus the bytes given to the network since then.
    func reportProgress() {
        guard let position = body?.progress.position else { return }
        guard reports.reportsProgress(position, now: MonotonicTime.now()) else { return }
        report(.progressed(bytes: position, total: source.size))
    }

    // MARK: The end

    private func end(_ ending: UploadStateMachine.Ending) {
        reportProgress()
        switch ending {
        case .responded(let status, let isCut):
            if status < 400, let change = file?.change() { return end(.failed(change, resume: nil)) }
            var answer = answer ?? UploadResponse(body: [], contentType: nil)
            if isCut { answer.isCut = true }
            end(.finished(TransferCompletion(status: status, file: nil, answer: answer, response: latestResponse.head)))
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

    /// The resume point for the next attempt. Reports the point before the end, because only checkpoints are
    /// recorded.
    private var lastResume: ResumePoint? {
        let resume = machine.resumePoint
        if let resume, resume != reportedResume { report(.checkpointed(resume)) }
        return resume
    }

    func releaseFiles() {
        file = nil
        body = nil
    }
}

extension UploadPlan {
    /// Creates the plan of an attempt that begins now. The attempt continues where an earlier attempt of an equally
    /// large file ended.
    init(_ job: TransferJob, _ source: UploadSource, _ environment: ExecutorEnvironment) {
        self.init(request: RequestPlan(job.specification, environment), source: source)
        guard job.resume?.total == source.size else { return }
        resume = job.resume?.upload
        offset = job.resume?.offset ?? 0
    }
}
