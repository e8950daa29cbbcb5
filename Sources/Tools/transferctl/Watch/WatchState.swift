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
    /// The daemon has refused a request.
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
enum WatchOrder: Hashable {
    case control(TransferID, ControlAction)
    case explain(TransferID)
    /// Ask for the wait reasons again.
    case refresh
    case quit
}

/// The state of the live view, which turns events into actions.
struct WatchState {
    /// The pane over or below the list.
    enum Pane: Hashable {
        case none
        case help
        case why(TransferID)
        /// A question whether to cancel a transfer.
        case confirm(TransferID)
    }

    private(set) var rows: [TransferID: TransferStatus] = [:]
    private(set) var conditions = ConditionsReport()
    private(set) var hold = HoldStatus()
    private(set) var selected: TransferID?
    private(set) var pane = Pane.none
    /// The explanation for the transfer in the pane. `nil` until the daemon has answered.
    private(set) var explanation: WaitExplanation?
    /// The daemon's latest message. Removed at the next key.
    private(set) var message: String?
    /// The number of ended transfers that stay in view.
    private static let mostOver = 100

    /// The transfers in display order: running transfers first, ended transfers last.
    var order: [TransferStatus] {
        rows.values.sorted {
            ($0.state.rank, $0.state.isOver ? -$0.id.rawValue : $0.id.rawValue)
                < ($1.state.rank, $1.state.isOver ? -$1.id.rawValue : $1.id.rawValue)
        }
    }

    /// Applies an event and returns the actions to perform.
    mutating func apply(_ event: WatchEvent) -> [WatchOrder] {
        switch event {
        case .changed(let status): return take(status)
        case .listed(let list):
            for status in list { rows[status.id] = status }
            // Transfers that are no longer in the list have ended unseen.
            let open = Set(list.map(\.id))
            rows = rows.filter { open.contains($0.key) || $0.value.state.isOver }
            keepSelection()
            return []
        case .status(let status):
            hold = status.held ?? hold
            conditions = status.conditions ?? conditions
            return rows.values.contains { $0.state == .waiting } ? [.refresh] + againExplained : againExplained
        case .explained(let id, let explanation):
            if pane == .why(id) { self.explanation = explanation }
            return []
        case .refused(let text):
            message = text
            return []
        case .key(let key):
            message = nil
            return take(key)
        case .redraw: return []
        case .daemonEnded, .stopped: return [.quit]
        }
    }

    private var againExplained: [WatchOrder] { if case .why(let id) = pane { [.explain(id)] } else { [] } }

    private mutating func take(_ status: TransferStatus) -> [WatchOrder] {
        var status = status
        let old = rows[status.id]
        // Signals carry no wait reason. The previous reason stays until the next answer.
        if status.state == .waiting, old?.state == .waiting { status.sentence = status.sentence ?? old?.sentence }
        rows[status.id] = status
        dropOldest()
        keepSelection()
        guard old?.state != status.state else { return [] }
        return (status.state == .waiting ? [.refresh] : []) + (pane == .why(status.id) ? [.explain(status.id)] : [])
    }

    private mutating func dropOldest() {
        let over = rows.values.filter(\.state.isOver).map(\.id).sorted()
        for id in over.dropLast(Self.mostOver) { rows[id] = nil }
    }

    private mutating func keepSelection() {
        if let selected, rows[selected] != nil { return }
        selected = order.first?.id
    }

    // MARK: Keys

    private mutating func take(_ key: WatchKey) -> [WatchOrder] {
        switch pane {
        case .confirm(let id):
            pane = .none
            return key == .letter("y") ? [.control(id, .cancel)] : []
        case .help:
            pane = .none
            return key == .letter("q") ? [.quit] : []
        case .none, .why: return takeInList(key)
        }
    }

    private mutating func takeInList(_ key: WatchKey) -> [WatchOrder] {
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

    private mutating func explain(_ id: TransferID) -> [WatchOrder] {
        pane = .why(id)
        explanation = nil
        return [.explain(id)]
    }

    private mutating func move(by step: Int) -> [WatchOrder] {
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
            guard !row.state.isOver else {
                message = "\(selected) is over: \(row.state.rawValue)"
                return nil
            }
            return selected
        }
    }

    private mutating func control(_ action: ControlAction) -> [WatchOrder] {
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
