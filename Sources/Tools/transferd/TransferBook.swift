// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferBus
import TransferEngine
import TransferPolicy
import TransferScheduling

/// How all transfers that are not over stand, and the latest of those that are: what lists are made from.
struct TransferBook {
    /// One that is not over.
    struct Entry {
        var status: TransferStatus
        var directory: String
        var constraints: Constraints
    }

    private(set) var open: [TransferID: Entry] = [:]
    /// Those that are over, oldest first.
    private(set) var ended: [TransferStatus] = []
    private var openPerApp: [String: Int] = [:]
    /// How many of those that are over are kept here; the store has all.
    private static let mostEnded = 1000

    /// How many transfers of an app are not over.
    func openCount(of app: String) -> Int { openPerApp[app] ?? 0 }

    /// How one stands, over or not.
    func status(of id: TransferID) -> TransferStatus? {
        open[id]?.status ?? ended.last { $0.id == id }
    }

    /// A transfer that the store has.
    mutating func add(_ stored: StoredTransfer) {
        var status = TransferStatus(stored.id, stored.specification)
        status.bytes = stored.resume?.bytes ?? 0
        status.total = stored.resume?.total
        if stored.isSuspended { status.state = .paused }
        if let ending = stored.ending {
            status.end(ending)
            return remember(status)
        }
        insert(status, stored.specification)
    }

    /// A transfer that was just handed over.
    mutating func add(_ id: TransferID, _ specification: TransferSpecification) {
        // The engine may have been quicker, and it may be over already.
        guard open[id] == nil, !ended.contains(where: { $0.id == id }) else { return }
        insert(TransferStatus(id, specification), specification)
    }

    private mutating func insert(_ status: TransferStatus, _ specification: TransferSpecification) {
        open[status.id] = Entry(
            status: status, directory: specification.destination.directory,
            constraints: specification.traits.constraints)
        openPerApp[status.app, default: 0] += 1
    }

    private mutating func remember(_ status: TransferStatus) {
        ended.append(status)
        if ended.count > Self.mostEnded { ended.removeFirst(ended.count - Self.mostEnded) }
    }

    /// Changes one that is not over.
    mutating func change(_ id: TransferID, _ body: (inout Entry) -> Void) {
        guard var entry = open[id] else { return }
        body(&entry)
        open[id] = entry
    }

    /// Follows the engine.
    ///
    /// - Returns: how the transfer stands now; nil where it is not known here.
    mutating func apply(_ update: TransferUpdate) -> TransferStatus? {
        guard var status = open[update.id]?.status else { return nil }
        switch update.kind {
        case .waiting(let explanation): status.state = explanation.isPaused ? .paused : .waiting
        case .started(let attempt):
            status.state = .running
            status.attempt = attempt
        case .progressed(let bytes, let total, let rate):
            (status.bytes, status.total, status.rate) = (bytes, total, rate)
        case .paused(let explanation, let bytes):
            status.state = explanation.isPaused ? .paused : .waiting
            (status.bytes, status.rate) = (bytes, nil)
        case .retrying(_, let failure, let bytes):
            status.state = .waiting
            (status.bytes, status.rate) = (bytes, nil)
            (status.errorCode, status.error) = (failure.cause.code, failure.message)
        case .finished(let completion): status.end(.completed(completion))
        case .failed(let failure): status.end(.failed(failure))
        case .cancelled: status.end(.cancelled)
        }
        guard status.state.isOver else {
            open[update.id]?.status = status
            return status
        }
        open[update.id] = nil
        openPerApp[status.app, default: 1] -= 1
        if openPerApp[status.app] == 0 { openPerApp[status.app] = nil }
        remember(status)
        return status
    }
}

extension TransferStatus {
    /// One that waits.
    init(_ id: TransferID, _ specification: TransferSpecification) {
        let traits = specification.traits
        self.init(
            id: id, url: TransferSpecification.redacted(url: specification.url), name: specification.displayName,
            app: traits.app, session: traits.session, isUpload: specification.upload != nil, kind: traits.kind,
            priority: traits.priority, state: .waiting, submitted: BusDate(traits.submitted))
        path = specification.upload?.path
        total = specification.upload?.size
    }

    /// What came of it.
    mutating func end(_ ending: TransferEnding) {
        rate = nil
        (errorCode, error) = (nil, nil)
        switch ending {
        case .completed(let completion, _):
            state = completion.isFailure ? .failed : .finished
            status = completion.status
            if let file = completion.file {
                path = file.path
                (bytes, total) = (file.bytes, file.bytes)
            } else if !completion.isFailure, let total {
                bytes = total
            }
            if completion.isFailure {
                (errorCode, error) = ("status", "the server answered \(completion.status)")
            }
        case .failed(let failure, _):
            state = .failed
            (errorCode, error) = (failure.cause.code, failure.message)
        case .cancelled: state = .cancelled
        }
    }
}

extension Explanation {
    /// Whether somebody paused it.
    fileprivate var isPaused: Bool { holds.contains { $0.reason == .suspended } }
}
