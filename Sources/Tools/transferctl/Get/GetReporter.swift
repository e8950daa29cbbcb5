// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TransferEngine
import TransferPolicy

/// Tells a person or a program what happens, in the style that was chosen.
final class GetReporter: Sendable {
    private struct State {
        var specifications: [TransferID: TransferSpecification] = [:]
        var conditions: Conditions?
        /// Updates that came before their transfer was named: the engine may be quicker than who handed it over.
        var early: [TransferID: [TransferUpdate]] = [:]
        var style: any GetStyle
    }

    private let state: Mutex<State>
    private let isVerbose: Bool
    private let localTime: LocalTimeRules

    init(plan: GetPlan, localTime: LocalTimeRules) {
        isVerbose = plan.isVerbose
        self.localTime = localTime
        let style: any GetStyle
        switch plan.style {
        case .terminal: style = TerminalStyle(localTime: localTime, total: plan.items.count)
        case .lines: style = LineStyle(localTime: localTime, isVerbose: plan.isVerbose)
        case .json: style = JSONStyle(localTime: localTime)
        case .quiet: style = QuietStyle()
        }
        state = Mutex(State(style: style))
    }

    /// Names a transfer.
    func add(_ id: TransferID, _ specification: TransferSpecification) {
        state.withLock { state in
            state.specifications[id] = specification
            for update in state.early.removeValue(forKey: id) ?? [] { state.style.show(update, specification) }
        }
    }

    /// The transfer's specification, once it was named.
    func specification(of id: TransferID) -> TransferSpecification? { state.withLock { $0.specifications[id] } }

    /// Tells of an update.
    func take(_ update: EngineUpdate) {
        state.withLock { state in
            switch update {
            case .transfer(let transfer):
                if let specification = state.specifications[transfer.id] {
                    state.style.show(transfer, specification)
                } else {
                    state.early[transfer.id, default: []].append(transfer)
                }
            case .conditions(let conditions):
                defer { state.conditions = conditions }
                guard isVerbose, let change = ConditionsText.change(from: state.conditions, to: conditions) else {
                    return
                }
                state.style.note(change)
            case .storeTrouble(let error):
                state.style.note(
                    error.code == .corrupt
                        ? "\(error)" : "the queue could not be saved: \(error); it is tried again with the next change")
            }
        }
    }

    /// Tells something that belongs to no transfer.
    func note(_ text: String) { state.withLock { $0.style.note(text) } }

    /// Leaves the terminal as it should be.
    func end() { state.withLock { $0.style.end() } }
}

/// One way of telling.
protocol GetStyle: Sendable {
    /// Tells of a transfer.
    mutating func show(_ update: TransferUpdate, _ specification: TransferSpecification)
    /// Tells something that belongs to no transfer.
    mutating func note(_ text: String)
    /// Ends the output.
    mutating func end()
}

extension TransferSpecification {
    /// What a person knows it by: the file's name, or the URL without secrets.
    var displayName: String {
        if let upload { return upload.path.split(separator: "/").last.map(String.init) ?? upload.path }
        if let name = destination.name { return name }
        let url = Self.redacted(url: url)
        let last = url.split(separator: "/").last.map(String.init) ?? url
        return last.removingPercentEncoding ?? last
    }
}
