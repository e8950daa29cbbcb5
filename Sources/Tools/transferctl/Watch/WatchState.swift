// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The events of the live view.
enum WatchEvent: Sendable {
    /// The state of a transfer has changed.
    case changed(TransferStatus)
    /// The list of unfinished transfers with their wait reasons has arrived.
    case listed([TransferStatus])
    /// Parts of the daemon's state have changed.
    case status(DaemonStatus)
    /// The daemon has rejected a request.
    case refused(String)
    /// A request has been performed.
    case performed(String)
    case key(WatchKey)
    /// The screen was cleared, for example because the window has a new size.
    case cleared
    /// A redraw is due.
    case redraw
    /// The daemon has ended.
    case daemonEnded
    /// The user or a signal ends the view.
    case stopped
}

/// The actions that the live view requests.
enum WatchAction: Hashable {
    case control(TransferID, ControlAction)
    /// Submit an ended transfer again.
    case retry(TransferID)
    /// Put all transfers on hold, or end the hold.
    case hold(Bool)
    /// Request the wait reasons again.
    case refresh
    case quit
}

/// The state of the live view, which turns events into actions.
struct WatchState {
    private(set) var rows: [TransferID: TransferStatus] = [:]
    private(set) var conditions = ConditionsReport()
    private(set) var hold = HoldStatus()
    private(set) var selected: TransferID?
    /// The transfer whose cancellation the user is asked to confirm.
    private(set) var confirming: TransferID?
    /// The daemon's latest message. Removed at the next key.
    private(set) var message: String?
    /// A Boolean value that indicates whether the message reports an error.
    private(set) var isError = false
    /// The number of ended transfers that stay in view.
    private static let maximumEnded = 100

    /// The transfers in display order: by state, and by wait reason or error.
    var order: [TransferStatus] {
        var first: [String: Int64] = [:]
        for row in rows.values { first[row.heading] = min(first[row.heading] ?? .max, row.place.number) }
        return rows.values.sorted {
            ($0.place.rank, first[$0.heading] ?? 0, $0.place.number)
                < ($1.place.rank, first[$1.heading] ?? 0, $1.place.number)
        }
    }

    /// Applies an event and returns the actions to perform.
    mutating func apply(_ event: WatchEvent) -> [WatchAction] {
        switch event {
        case .changed(let status): return handle(status)
        case .listed(let list):
            for status in list { rows[status.id] = status }
            // Transfers that are no longer in the list have ended unseen.
            let open = Set(list.map(\.id))
            rows = rows.filter { open.contains($0.key) || $0.value.state.isEnded }
            validateSelection()
            return []
        case .status(let status):
            hold = status.held ?? hold
            conditions = status.conditions ?? conditions
            return rows.values.contains { $0.state == .waiting } ? [.refresh] : []
        case .refused(let text):
            (message, isError) = (text, true)
            return []
        case .performed(let text):
            (message, isError) = (text, false)
            return []
        case .key(let key):
            message = nil
            return handle(key)
        case .cleared, .redraw: return []
        case .daemonEnded, .stopped: return [.quit]
        }
    }

    private mutating func handle(_ status: TransferStatus) -> [WatchAction] {
        var status = status
        let old = rows[status.id]
        // Signals carry no wait reason. The previous reason stays until the next reply.
        if status.state == .waiting, old?.state == .waiting { status.sentence = status.sentence ?? old?.sentence }
        rows[status.id] = status
        let endedIDs = rows.values.filter(\.state.isEnded).map(\.id).sorted()
        for id in endedIDs.dropLast(Self.maximumEnded) { rows[id] = nil }
        validateSelection()
        return status.state == .waiting && old?.state != .waiting ? [.refresh] : []
    }

    private mutating func validateSelection() {
        if let selected, rows[selected] != nil { return }
        selected = order.first?.id
    }

    // MARK: Keys

    private mutating func handle(_ key: WatchKey) -> [WatchAction] {
        if let id = confirming {
            confirming = nil
            return key == .letter("y") ? [.control(id, .cancel)] : []
        }
        switch key {
        case .up, .letter("k"): move(by: -1)
        case .down, .letter("j"): move(by: 1)
        case .pageUp: move(by: -10)
        case .pageDown: move(by: 10)
        case .home, .letter("g"): move(by: -rows.count)
        case .end, .letter("G"): move(by: rows.count)
        case .letter("q"): return [.quit]
        case .letter("H"): return [.hold(hold.reason == nil)]
        case .letter("p"): return control(.pause)
        case .letter("r"): return resumeOrRetry()
        case .letter("n"): return control(.startNow)
        case .letter("c"): confirming = controllable
        case .letter, .other: break
        }
        return []
    }

    /// Resumes the selected transfer. Submits it again if it has failed or was canceled.
    private mutating func resumeOrRetry() -> [WatchAction] {
        guard let selected, let row = rows[selected], row.state == .failed || row.state == .cancelled else {
            return control(.resume)
        }
        return [.retry(selected)]
    }

    private mutating func move(by step: Int) {
        let order = order
        guard let old = order.firstIndex(where: { $0.id == selected }) else { return }
        selected = order[max(0, min(order.count - 1, old + step))].id
    }

    /// The selected transfer if it has not ended. Otherwise `nil`, and `message` explains.
    private var controllable: TransferID? {
        mutating get {
            guard let selected, let row = rows[selected] else { return nil }
            guard !row.state.isEnded else {
                (message, isError) = ("transfer \(selected) has already ended: \(row.state.displayName)", true)
                return nil
            }
            return selected
        }
    }

    private mutating func control(_ action: ControlAction) -> [WatchAction] {
        controllable.map { [.control($0, action)] } ?? []
    }
}

extension TransferStatus {
    /// The state with its wait reason or error, which transfers in the same group share.
    var heading: String {
        let reason = state == .waiting ? sentence ?? error : state == .failed ? error : nil
        return state.displayName + (reason.map { ": \($0)" } ?? "")
    }

    /// The position in the display order: ended transfers last, and the newest of them first.
    fileprivate var place: (rank: Int, number: Int64) {
        switch state {
        case .running: (0, id.rawValue)
        case .waiting: (1, id.rawValue)
        case .paused: (2, id.rawValue)
        case .failed: (3, -id.rawValue)
        case .finished: (4, -id.rawValue)
        case .cancelled: (5, -id.rawValue)
        }
    }
}
