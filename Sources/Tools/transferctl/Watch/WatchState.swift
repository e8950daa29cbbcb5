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
    /// The explanation of a transfer's wait has arrived.
    case explained(TransferID, WaitExplanation)
    /// The daemon has rejected a request.
    case refused(String)
    case key(WatchKey)
    /// The window has a new size, or a redraw is due.
    case redraw
    /// The daemon has ended.
    case daemonEnded
    /// The user or a signal ends the view.
    case stopped
}

/// The actions that the live view requests.
enum WatchAction: Hashable {
    case control(TransferID, ControlAction)
    case explain(TransferID)
    /// Request the wait reasons again.
    case refresh
    case quit
}

/// The state of the live view, which turns events into actions.
struct WatchState {
    /// The pane above or below the list.
    enum Pane: Hashable {
        case none
        case help
        case why(TransferID)
        /// A request to confirm the cancellation of a transfer.
        case confirm(TransferID)
    }

    private(set) var rows: [TransferID: TransferStatus] = [:]
    private(set) var conditions = ConditionsReport()
    private(set) var hold = HoldStatus()
    private(set) var selected: TransferID?
    private(set) var pane = Pane.none
    /// The explanation for the transfer in the pane. `nil` until the daemon has replied.
    private(set) var explanation: WaitExplanation?
    /// The daemon's latest message. Removed at the next key.
    private(set) var message: String?
    /// The number of ended transfers that stay in view.
    private static let maximumEnded = 100

    /// The transfers in display order: running transfers first, ended transfers last.
    var order: [TransferStatus] {
        rows.values.sorted {
            ($0.state.rank, $0.state.isEnded ? -$0.id.rawValue : $0.id.rawValue)
                < ($1.state.rank, $1.state.isEnded ? -$1.id.rawValue : $1.id.rawValue)
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
            return rows.values.contains { $0.state == .waiting } ? [.refresh] + explanationRefresh : explanationRefresh
        case .explained(let id, let explanation):
            if pane == .why(id) { self.explanation = explanation }
            return []
        case .refused(let text):
            message = text
            return []
        case .key(let key):
            message = nil
            return handle(key)
        case .redraw: return []
        case .daemonEnded, .stopped: return [.quit]
        }
    }

    private var explanationRefresh: [WatchAction] { if case .why(let id) = pane { [.explain(id)] } else { [] } }

    private mutating func handle(_ status: TransferStatus) -> [WatchAction] {
        var status = status
        let old = rows[status.id]
        // Signals carry no wait reason. The previous reason stays until the next reply.
        if status.state == .waiting, old?.state == .waiting { status.sentence = status.sentence ?? old?.sentence }
        rows[status.id] = status
        removeOldestEnded()
        validateSelection()
        guard old?.state != status.state else { return [] }
        return (status.state == .waiting ? [.refresh] : []) + (pane == .why(status.id) ? [.explain(status.id)] : [])
    }

    private mutating func removeOldestEnded() {
        let endedIDs = rows.values.filter(\.state.isEnded).map(\.id).sorted()
        for id in endedIDs.dropLast(Self.maximumEnded) { rows[id] = nil }
    }

    private mutating func validateSelection() {
        if let selected, rows[selected] != nil { return }
        selected = order.first?.id
    }

    // MARK: Keys

    private mutating func handle(_ key: WatchKey) -> [WatchAction] {
        switch pane {
        case .confirm(let id):
            pane = .none
            return key == .letter("y") ? [.control(id, .cancel)] : []
        case .help:
            pane = .none
            return key == .letter("q") ? [.quit] : []
        case .none, .why: return handleInList(key)
        }
    }

    private mutating func handleInList(_ key: WatchKey) -> [WatchAction] {
        switch key {
        case .up, .letter("k"): return move(by: -1)
        case .down, .letter("j"): return move(by: 1)
        case .pageUp: return move(by: -10)
        case .pageDown: return move(by: 10)
        case .home, .letter("g"): return move(by: -rows.count)
        case .end, .letter("G"): return move(by: rows.count)
        case .letter("q"): return [.quit]
        case .letter("?"), .letter("h"): pane = .help
        case .letter("w"), .enter:
            if case .why = pane {
                pane = .none
            } else if let selected {
                return explain(selected)
            }
        case .escape: pane = .none
        case .letter("p"): return control(.pause)
        case .letter("r"): return control(.resume)
        case .letter("n"): return control(.startNow)
        case .letter("c"): if let id = controllable { pane = .confirm(id) }
        case .letter, .other: break
        }
        return []
    }

    private mutating func explain(_ id: TransferID) -> [WatchAction] {
        pane = .why(id)
        explanation = nil
        return [.explain(id)]
    }

    private mutating func move(by step: Int) -> [WatchAction] {
        let order = order
        guard let old = order.firstIndex(where: { $0.id == selected }) else { return [] }
        let id = order[max(0, min(order.count - 1, old + step))].id
        guard id != selected else { return [] }
        selected = id
        if case .why = pane { return explain(id) }
        return []
    }

    /// The selected transfer if it has not ended. Otherwise `nil`, and `message` explains.
    private var controllable: TransferID? {
        mutating get {
            guard let selected, let row = rows[selected] else { return nil }
            guard !row.state.isEnded else {
                message = "transfer \(selected) has already ended: \(row.state.displayName)"
                return nil
            }
            return selected
        }
    }

    private mutating func control(_ action: ControlAction) -> [WatchAction] {
        controllable.map { [.control($0, action)] } ?? []
    }
}

extension TransferStatus.State {
    /// The position of the state in the display order.
    fileprivate var rank: Int {
        switch self {
        case .running: 0
        case .waiting: 1
        case .paused: 2
        case .finished, .failed, .cancelled: 3
        }
    }
}
