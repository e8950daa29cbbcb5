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
    case explain(TransferID)
    /// Submit an ended transfer again.
    case retry(TransferID)
    /// Open a finished file.
    case open(path: String)
    /// Put all transfers on hold.
    case hold
    /// End the hold.
    case release
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
        /// The line in which the user types the filter.
        case filter
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
    /// A Boolean value that indicates whether the message reports an error.
    private(set) var isError = false
    /// The order and the choice of the transfers.
    private(set) var arrangement = WatchArrangement()
    /// The number of ended transfers that stay in view.
    private static let maximumEnded = 100

    /// The shown transfers in display order.
    var order: [TransferStatus] { arrangement.arranged(rows.values) }

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
        case .filter:
            editFilter(key)
            return []
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
        case .letter("/"): pane = .filter
        case .letter("s"): arrangement.sort = arrangement.sort.next
        case .letter("H"): return [.hold]
        case .letter("R"): return [.release]
        case .letter("o"): return open()
        case .letter("w"), .enter:
            if case .why = pane {
                pane = .none
            } else if let selected {
                return explain(selected)
            }
        case .escape:
            if pane == .none { arrangement.filter = "" }
            pane = .none
        case .letter("p"): return control(.pause)
        case .letter("r"): return resumeOrRetry()
        case .letter("n"): return control(.startNow)
        case .letter("c"): if let id = controllable { pane = .confirm(id) }
        case .letter, .backspace, .other: break
        }
        return []
    }

    // MARK: Actions

    private mutating func editFilter(_ key: WatchKey) {
        switch key {
        case .letter(let letter): arrangement.filter.append(letter)
        case .backspace: _ = arrangement.filter.popLast()
        case .escape:
            arrangement.filter = ""
            pane = .none
        case .enter: pane = .none
        case .up, .down, .pageUp, .pageDown, .home, .end, .other: break
        }
        if !order.contains(where: { $0.id == selected }) { selected = order.first?.id }
    }

    /// Resumes the selected transfer. Submits it again if it has failed or was canceled.
    private mutating func resumeOrRetry() -> [WatchAction] {
        guard let selected, let row = rows[selected], row.state == .failed || row.state == .cancelled else {
            return control(.resume)
        }
        return [.retry(selected)]
    }

    private mutating func open() -> [WatchAction] {
        guard let selected, let row = rows[selected] else { return [] }
        guard row.state == .finished, !row.isUpload, let path = row.path else {
            (message, isError) = ("transfer \(selected) has no finished file to open", true)
            return []
        }
        return [.open(path: path)]
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
