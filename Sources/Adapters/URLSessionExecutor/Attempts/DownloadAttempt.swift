// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import Synchronization
import TransferEngine
internal import TransferModel

/// One attempt to fetch a file: carries out what the state machine decides, and reports.
final class DownloadAttempt: TransferAttempt, @unchecked Sendable {
    // Guard: everything but `isStopping` and `live` is used on the environment's consumer queue only.
    let job: TransferJob
    let environment: ExecutorEnvironment
    let files: any AttemptFiles
    let onEnd: @Sendable (ExecutorOutcome) -> Void
    let report: @Sendable (ExecutorReport) -> Void
    /// Set from any thread, so that long work sees it before its turn comes.
    let isStopping = Mutex(false)
    /// The requests under way, for whoever stops them from another thread.
    let live = Mutex<[Exchange]>([])

    var machine: DownloadStateMachine
    var exchange: Exchange? {
        didSet { noteLive() }
    }
    var lane: RateLane?
    /// The requests for pieces of the file, by the numbers of the segments.
    var pieces: [Piece] = []
    var file: PartialFile?
    var partialPath: String
    var hasher: BodyHasher?
    /// How many bytes may be written before the volume is asked again.
    var room: Int64 = 0
    /// How many bytes there are in the partial file; they end there, but for extents.
    var written: Int64 = 0
    /// Those of them that are known to be durable.
    var durable = ByteRanges()
    /// Why the attempt ends, where it is not the state machine that knows.
    var verdict: ExecutorVerdict?
    /// How many bytes the resume point tells of.
    private var recordedBytes: Int64 = 0
    var hasAnnounced = false
    var answers: AnswerKeeper
    var isOver = false

    /// When the first request was sent, and whether it was told how long its answer took.
    var firstSent: UInt64 = 0
    var hasToldAnswer = false
    var watch = SilenceWatch()
    var lastCheckpoint: UInt64 = 0
    var lastProgress: UInt64 = 0
    var reportedProgress: Int64 = -1

    /// `onEnd` comes before the report of the end; without `files` they are this process's own affair.
    init(
        job: TransferJob, environment: ExecutorEnvironment, files: (any AttemptFiles)? = nil,
        onEnd: @escaping @Sendable (ExecutorOutcome) -> Void, report: @escaping @Sendable (ExecutorReport) -> Void
    ) {
        self.job = job
        self.environment = environment
        self.files =
            files ?? LocalFiles(job: job, configuration: environment.configuration, calls: environment.fileCalls)
        self.onEnd = onEnd
        self.report = report
        answers = AnswerKeeper(job.specification)
        partialPath = ""
        machine = DownloadStateMachine(
            plan: DownloadPlan(request: RequestPlan(url: job.specification.url, headers: [], userAgent: "")))
    }

    var liveExchanges: [Exchange] { live.withLock { $0 } }

    func noteStop() -> Bool {
        isStopping.withLock { isStopping in
            defer { isStopping = true }
            return !isStopping
        }
    }

    var specification: TransferSpecification { job.specification }

    /// Looks at the destination and the partial file, and sends the first request.
    func begin() {
        switch files.prepare().0 {
        case .failed(let failure):
            end(outcome(of: failure, resume: job.resume))
        case .unreadable(let failure):
            end(.failed(failure, resume: job.resume))
        case .placed(let completion, let path):
            partialPath = path
            end(alreadyPlaced: completion)
        case .download(let place, let isUnchanged):
            partialPath = place.path
            begin(at: place, isUnchanged: isUnchanged)
        case .upload:
            preconditionFailure("the files of a download were prepared for an upload")
        }
    }

    private func begin(at place: PartialPlace, isUnchanged: Bool) {
        machine = DownloadStateMachine(plan: plan(place, isUnchanged: isUnchanged))
        written = machine.presentBytes
        durable = hasExtents ? machine.present : ByteRanges([0..<min(recordedBytes, written)])
        if written == 0 { hasher = specification.checksum.map { BodyHasher($0.algorithm) } }
        // Of what was recorded, somebody has taken some away, or all.
        if let resume = job.resume, machine.plan.offset < resume.offset { tell(.restarted) }
        let now = MonotonicTime.now()
        lastCheckpoint = now
        if isStopping.withLock({ $0 }) { return perform(machine.interrupt(.stopped)) }
        lane = environment.throttle.enter(job)
        perform(machine.start())
    }

    private func plan(_ place: PartialPlace, isUnchanged: Bool) -> DownloadPlan {
        var plan = DownloadPlan(request: RequestPlan(specification, environment))
        plan.firstRequestBytes = environment.configuration.firstRequestBytes
        plan.keepsErrorBody = specification.keepsErrorBody
        plan.maximumBytes = specification.maximumBytes
        plan.deliversEncodedBodies = environment.isRepaired
        plan.offset = place.offset
        plan.extents = place.extents
        plan.connections = allowedConnections
        recordedBytes = place.durable
        plan.total = job.resume?.total
        plan.validator = job.resume?.validator
        // A checksum says what is wanted, and nobody has held the earlier file against it: that one is fetched anew.
        if specification.checksum == nil, isUnchanged { plan.completedBefore = specification.completedBefore }
        return plan
    }

    /// Carries out what was decided.
    func perform(_ directives: [DownloadStateMachine.Directive]) {
        for directive in directives {
            switch directive {
            case .send(let request): send(request)
            case .cancelRequest: cancelRequest()
            case .sendSegment(let id, let request): send(request, segment: id)
            case .cancelSegment(let id): cancel(segment: id)
            case .startOver: startOver()
            case .receive(let serverFile): receive(serverFile)
            case .finish(let serverFile): finish(serverFile)
            case .end(let ending): end(ending)
            }
        }
    }

    private func send(_ request: RequestHead) {
        let now = MonotonicTime.now()
        watch.begin(now: now)
        if firstSent == 0 { firstSent = now }
        answers.asked(request.url)
        exchange = exchange(for: request)
    }

    func exchange(for request: RequestHead) -> Exchange {
        // URLSession's own timer is the second line: ours does not count the time in which the disk holds us up.
        let timeout = specification.idleTimeoutSeconds.multipliedReportingOverflow(by: 2).partialValue
        return environment.client.send(
            request, timeoutSeconds: min(max(1, timeout), 86400) + 60, lane: lane, to: self)
    }

    private func cancelRequest() {
        if let exchange { environment.client.cancel(exchange) }
    }

    private func startOver() {
        let hadBytes = written > 0 || job.resume != nil && !hasAnnounced
        written = 0
        durable = ByteRanges()
        room = 0
        hasAnnounced = false
        hasher = specification.checksum.map { BodyHasher($0.algorithm) }
        if let file {
            do { try file.truncate(to: 0) } catch { fail(error) }
        }
        if hadBytes {
            reportedProgress = -1
            tell(.restarted)
        }
    }

    /// The head is known: takes the room, and says what there is to continue from before the first byte.
    private func receive(_ serverFile: ServerFile) {
        guard verdict == nil else { return }
        do {
            let file = try openFile(for: serverFile)
            if let total = serverFile.total, !hasAnnounced { try takeRoom(file, total: total) }
        } catch {
            return fail(error)
        }
        if !hasAnnounced {
            hasAnnounced = true
            tell(.checkpointed(resumePoint(durable)))
            tellProgress(isForced: true)
        }
    }

    func openFile(for serverFile: ServerFile) throws(FileFailure) -> PartialFile {
        if let file { return file }
        let opened = try files.open(for: serverFile)
        try opened.begin(at: machine.present.end, durable: durable.count)
        partialPath = opened.path
        file = opened
        return opened
    }

    private func takeRoom(_ file: PartialFile, total: Int64) throws(FileFailure) {
        let needed = total - written
        if let available = environment.space.available(on: file.descriptor), available < needed {
            throw FileFailure("reserve \(needed) bytes for", partialPath, code: ENOSPC)
        }
        if try file.reserve(from: machine.position, total: total) { room = needed }
    }

    /// Ends the attempt for a reason of the disk.
    func fail(_ failure: FileFailure) {
        if verdict == nil { verdict = .file(failure) }
        perform(machine.interrupt(.stopped))
    }

    /// Reports, unless the attempt is over.
    func tell(_ what: ExecutorReport) {
        if !isOver { report(what) }
    }
}

/// Why an attempt ends, where the disk or a person decided it.
enum ExecutorVerdict: Sendable {
    case file(FileFailure)
}
