// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import LinuxKernel
import TransferEngine
internal import TransferModel

/// An attempt to download a file.
actor DownloadAttempt: TransferAttempt {
    nonisolated let context: AttemptContext
    nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }

    var machine: DownloadStateMachine
    var exchange: Exchange? {
        didSet { publishLiveExchanges() }
    }
    var rateLimiter: RateLimiter?
    var latestResponse: LatestResponse
    var stallDetector = StallDetector()
    var isEnded = false
    /// The requests for segments of the file, in addition to `exchange`.
    var segments = SegmentRequests()
    var writer: PartialFileWriter
    var reports: ReportSchedule
    var delay = ResponseDelay()
    /// The disk failure that ends the attempt. The state machine does not know about disk failures.
    var fault: FileFailure?
    /// The partial file that is being opened. Everything that happens to the attempt meanwhile waits for it.
    var opening: FileOpening?

    init(_ context: AttemptContext) {
        self.context = context
        let specification = context.job.specification
        latestResponse = LatestResponse(specification)
        writer = PartialFileWriter(context)
        reports = ReportSchedule(context.environment.configuration)
        machine = DownloadStateMachine(
            plan: DownloadPlan(request: RequestPlan(url: specification.url, headers: [], userAgent: "")))
    }

    /// Publishes the running exchanges so that other threads can cancel them.
    func publishLiveExchanges() { context.liveExchanges = segments.exchanges + [exchange].compactMap { $0 } }

    /// Examines the destination and the partial file, and sends the first request.
    func begin() {
        // Reading a file for its checksum takes long, and all attempts share this queue.
        guard specification.checksum == nil || job.resume != nil else {
            return environment.disk.async { [self] in
                let prepared = context.files.prepare { context.isStopping }.0
                dispatch { if !$0.isEnded { $0.begin(prepared) } }
            }
        }
        begin(context.files.prepare { context.isStopping }.0)
    }

    private func begin(_ prepared: PreparedFiles) {
        switch prepared {
        case .failed(let failure):
            end(writer.outcome(of: failure, expecting: machine.expected, resume: job.resume))
        case .unreadable(let failure):
            end(.failed(failure, resume: job.resume))
        case .placed(let completion, let path):
            // An earlier attempt placed the file, and a crash prevented its report. The component that records the
            // end needs the path of the file's mark. A file that was there before has no mark.
            if job.resume == nil, !completion.wasAlreadyComplete, let file = completion.file {
                report(.checkpointed(ResumePoint(placed: file, partialPath: path)))
            }
            end(.finished(completion))
        case .download(let location, let isUnchanged):
            machine = DownloadStateMachine(
                plan: DownloadPlan(job, environment, at: location, isUnchanged: isUnchanged))
            writer.begin(at: location, present: machine.presentBytes)
            // Some or all of the recorded bytes were removed by another program.
            if let resume = job.resume, machine.plan.offset < resume.offset { report(.restarted(.bytesMissing)) }
            reports.checkpoint(now: MonotonicTime.now())
            start()
        case .upload:
            preconditionFailure("the files of a download were prepared for an upload")
        }
    }

    func perform(_ directive: DownloadStateMachine.Directive) {
        if defers({ $0.perform(directive) }) { return }
        switch directive {
        case .send(let request):
            send(request)
            delay.requestSent(now: stallDetector.lastActivity)
        case .cancelRequest: cancelRequest()
        case .adoptRequest(let id):
            if let exchange { segments.add(exchange, for: id, now: stallDetector.lastActivity) }
            exchange = nil
        case .sendSegment(let id, let request): send(request, segment: id)
        case .cancelSegment(let id): for exchange in segments.exchanges(for: id) { environment.cancel(exchange) }
        case .restart(let cause): restart(cause)
        case .receive(let serverFile): receive(serverFile)
        case .finish(let serverFile): finish(serverFile)
        case .end(let ending): end(ending)
        }
    }

    private func send(_ request: RequestHead, segment id: Int) {
        writer.stopHashing()
        segments.add(exchange(for: request), for: id, now: MonotonicTime.now())
        publishLiveExchanges()
    }

    private func restart(_ cause: RestartCause) {
        let hadBytes = writer.hasBytes
        do { try writer.restart() } catch { fail(error) }
        if hadBytes {
            reports.restart()
            report(.restarted(cause))
        }
    }

    /// Opens the partial file, reserves the space for the body, and reports the first checkpoint before any byte arrives.
    func receive(_ serverFile: ServerFile) {
        guard fault == nil else { return }
        if writer.file == nil {
            opening = FileOpening(serverFile, of: context) { [self] result in dispatch { $0.finishOpening(result) } }
            if opening != nil { return }
        }
        do {
            guard try writer.prepare(for: serverFile, machine) else { return }
        } catch {
            return fail(error)
        }
        report(.checkpointed(writer.resumePoint(writer.durable, of: machine.expected)))
        reportProgress(isForced: true)
    }

    func stop() {
        if !defers({ $0.stop() }) { interrupt(.stopped) }
    }

    /// Ends the attempt because of a disk failure.
    func fail(_ failure: FileFailure) {
        if fault == nil { fault = failure }
        perform(machine.interrupt(.stopped))
    }
}

/// The head of the latest response, for transfers whose app requests the head.
struct LatestResponse {
    private let isRequested: Bool
    private var url = ""
    /// The head of the latest response. `nil` if the app does not request the head, or no final response has arrived.
    private(set) var head: FinalResponseHead?

    init(_ specification: TransferSpecification) { isRequested = specification.keepsResponseHead }

    /// Records the URL of a request. The next response comes from that URL.
    mutating func requestSent(_ url: String) {
        if isRequested { self.url = url }
    }

    /// Records the head of a response. Leaves out cookies because they are secrets, and background transfers store no
    /// cookies.
    mutating func headReceived(_ head: ResponseHead) {
        guard isRequested, head.status >= 200 else { return }
        self.head = FinalResponseHead(
            url: url, headers: head.fields.filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) })
    }
}
