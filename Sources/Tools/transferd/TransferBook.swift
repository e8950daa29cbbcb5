// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferBusProtocol
import TransferBusServer
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling

/// How all transfers that are not over stand, and the latest of those that are: what lists are made from.
struct TransferBook {
    private var open: [TransferID: OpenTransfer] = [:]
    /// Those that are over, oldest first.
    private(set) var ended: [TransferStatus] = []
    /// How many unfinished transfers apps have, and how many bytes of addresses and others, by ``group(of:)``.
    private var openPerApp: [String: (count: Int, bytes: Int)] = [:]
    /// How many of those that are over are kept here; the store has all.
    private static let mostEnded = 1000

    /// Whether one is not over.
    func isOpen(_ id: TransferID) -> Bool { open[id] != nil }

    /// Those that are not over and fit, in the order of their numbers.
    func openTransfers(_ fits: (OpenTransfer) -> Bool) -> [OpenTransfer] {
        open.values.filter(fits).sorted { $0.id < $1.id }
    }

    /// How many transfers of an app are not over.
    func openCount(of app: String) -> Int { openPerApp[Self.group(of: app)]?.count ?? 0 }

    /// How many bytes of addresses, header fields and names the transfers of an app have that are not over.
    func bytes(of app: String) -> Int { openPerApp[Self.group(of: app)]?.bytes ?? 0 }

    /// The name under which an app is counted: sandboxes without a name of their own are counted together.
    static func group(of app: String) -> String {
        app.hasPrefix(BusCaller.opaquePrefix) ? BusCaller.opaquePrefix : app
    }

    /// The bytes of all that a caller may make as long as it likes.
    static func bookkeepingBytes(of specification: TransferSpecification) -> Int {
        let constraints = specification.traits.constraints
        let connections = Array(constraints.connection.allowed ?? []) + Array(constraints.connection.denied)
        let credential = specification.credential
        let texts: [String?] = [
            specification.url, specification.destination.directory, specification.destination.name,
            specification.upload?.path, specification.traits.session, credential?.user, credential?.password,
        ]
        let names = (texts + connections).reduce(64) { $0 + ($1?.utf8.count ?? 0) }
        let headers = specification.headers.reduce(names) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return headers + 16 * (constraints.window?.windows.count ?? 0)
    }

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
        insert(status, Self.bookkeepingBytes(of: stored.specification))
    }

    /// A transfer that was just handed over.
    mutating func add(_ id: TransferID, _ specification: TransferSpecification) {
        // The engine may have been quicker, and it may be over already.
        guard open[id] == nil, !ended.contains(where: { $0.id == id }) else { return }
        insert(TransferStatus(id, specification), Self.bookkeepingBytes(of: specification))
    }

    private mutating func insert(_ status: TransferStatus, _ bytes: Int) {
        open[status.id] = OpenTransfer(status, bookkeepingBytes: bytes)
        let group = Self.group(of: status.app)
        let before = openPerApp[group] ?? (0, 0)
        openPerApp[group] = (before.count + 1, before.bytes + bytes)
    }

    private mutating func remember(_ status: TransferStatus) {
        ended.append(status)
        if ended.count > Self.mostEnded { ended.removeFirst(ended.count - Self.mostEnded) }
    }

    /// Changes one that is not over.
    ///
    /// - Returns: how it stands then; nil where it is over or not known.
    @discardableResult
    mutating func change(_ id: TransferID, _ body: (inout TransferStatus) -> Void) -> TransferStatus? {
        guard let transfer = open[id] else { return nil }
        var status = transfer.status
        body(&status)
        transfer.status = status
        return status
    }

    /// Follows the engine.
    ///
    /// - Returns: how the transfer stands now; nil where it is not known here.
    mutating func apply(_ update: TransferUpdate) -> TransferStatus? {
        guard let transfer = open[update.id] else { return nil }
        var status = transfer.status
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
        case .retrying(let explanation, let failure, let bytes):
            // An attempt may fail while it is being stopped, since somebody has paused its transfer.
            status.state = explanation.isPaused ? .paused : .waiting
            (status.bytes, status.rate) = (bytes, nil)
            (status.errorCode, status.error) = (failure.cause.code, failure.message)
        case .finished(let completion): status.end(.completed(completion))
        case .failed(let failure): status.end(.failed(failure))
        case .cancelled: status.end(.cancelled)
        }
        guard status.state.isOver else {
            transfer.status = status
            return status
        }
        open[update.id] = nil
        let group = Self.group(of: status.app)
        let before = openPerApp[group] ?? (0, 0)
        openPerApp[group] =
            before.count > 1 ? (before.count - 1, before.bytes - Int(transfer.bookkeepingBytes)) : nil
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
        path = specification.upload?.shownPath
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
