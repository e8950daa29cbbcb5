// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import LinuxKernel
import TransferEngine
internal import TransferModel

/// One attempt to fetch a file.
actor DownloadAttempt: TransferAttempt {
    nonisolated let context: AttemptContext
    nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }

    var machine: DownloadStateMachine
    var exchange: Exchange? {
        didSet { noteLive() }
    }
    var lane: RateLane?
    var answers: LatestAnswer
    var watch = SilenceWatch()
    var isOver = false
    /// The requests for pieces of the file, by the numbers of the segments.
    var pieces: [Piece] = []
    var file: PartialFile?
    var partialPath = ""
    var hasher: BodyHasher?
    /// The number of bytes that may be written before the volume is asked again.
    var room: Int64 = 0
    /// The number of bytes in the partial file; they end there, but for extents.
    var written: Int64 = 0
    /// The number of bytes from before this attempt that are known to be durable.
    private var durableBefore: Int64 = 0
    /// The fault of the disk for which the attempt ends: the state machine does not know of it.
    var fault: FileFailure?
    var hasAnnounced = false
    /// When the first request was sent, and whether it was told how long its answer took.
    var firstSent: UInt64 = 0
    var hasToldAnswer = false
    var lastCheckpoint: UInt64 = 0
    var lastProgress: UInt64 = 0
    var reportedProgress: Int64 = -1

    init(_ context: AttemptContext) {
        self.context = context
        let specification = context.job.specification
        answers = LatestAnswer(specification)
        machine = DownloadStateMachine(
            plan: DownloadPlan(request: RequestPlan(url: specification.url, headers: [], userAgent: "")))
    }

    /// Lets other threads know what to cancel.
    func noteLive() { context.liveExchanges = pieces.map(\.exchange) + [exchange].compactMap { $0 } }

    /// Looks at the destination and the partial file, and sends the first request.
    func begin() {
        switch context.files.prepare().0 {
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
        durableBefore = place.durable
        if written == 0 { hasher = specification.checksum.map { BodyHasher($0.algorithm) } }
        // Of what was recorded, somebody has taken some away, or all.
        if let resume = job.resume, machine.plan.offset < resume.offset { tell(.restarted) }
        lastCheckpoint = MonotonicTime.now()
        if context.isStopping { return perform(machine.interrupt(.stopped)) }
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
        plan.total = job.resume?.total
        plan.validator = job.resume?.validator
        // A checksum says what is wanted, and nobody has held the earlier file against it: that one is fetched anew.
        if specification.checksum == nil, isUnchanged { plan.completedBefore = specification.completedBefore }
        return plan
    }

    func perform(_ directive: DownloadStateMachine.Directive) {
        switch directive {
        case .send(let request):
            send(request)
            if firstSent == 0 { firstSent = watch.lastActivity }
        case .cancelRequest: cancelRequest()
        case .sendSegment(let id, let request): send(request, segment: id)
        case .cancelSegment(let id): cancel(segment: id)
        case .startOver: startOver()
        case .receive(let serverFile): receive(serverFile)
        case .finish(let serverFile): finish(serverFile)
        case .end(let ending): end(ending)
        }
    }

    private func startOver() {
        let hadBytes = written > 0 || job.resume != nil && !hasAnnounced
        written = 0
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
        guard fault == nil else { return }
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

    /// The bytes of the partial file that are known to be durable.
    var durable: ByteRanges { file?.durable ?? ByteRanges() }

    func openFile(for serverFile: ServerFile) throws(FileFailure) -> PartialFile {
        if let file { return file }
        let opened = try context.files.open(for: serverFile)
        let present = machine.present
        let durable = hasExtents ? present : ByteRanges([0..<min(durableBefore, present.count)])
        try opened.begin(at: present.end, durable: durable)
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
        if fault == nil { fault = failure }
        perform(machine.interrupt(.stopped))
    }
}
