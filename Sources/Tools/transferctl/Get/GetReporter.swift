// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization
import TransferEngine
import TransferModel

/// Tells a person or a program what happens, in the style that was chosen.
final class GetReporter: Sendable {
    private struct State {
        /// Which of the plan's transfers has that number.
        var places: [TransferID: Int] = [:]
        var conditions: Conditions?
        /// The plan's transfers that have no number yet, by their keys.
        var unnumbered: [String: Int] = [:]
        var style: any GetStyle
        /// Whether what is to be drawn will be.
        var isFlushDue = false
        var hasEnded = false
    }

    private let state: Mutex<State>
    private let items: [GetPlan.Item]
    private let queue = DispatchQueue(label: "transferctl.reporter")
    /// How long an update may wait to be drawn, and so how often is drawn at most: 20 times a second.
    private static let drawInterval = DispatchTimeInterval.milliseconds(50)
    private let isVerbose: Bool
    private let localTime: LocalTimeRules

    init(plan: GetPlan, localTime: LocalTimeRules) {
        isVerbose = plan.isVerbose
        items = plan.items
        self.localTime = localTime
        let style: any GetStyle
        switch plan.style {
        case .terminal:
            style = TerminalStyle(localTime: localTime, total: plan.items.count, watched: plan.watchedAtOnce)
        case .lines: style = LineStyle(localTime: localTime, isVerbose: plan.isVerbose)
        case .json: style = JSONStyle(localTime: localTime)
        case .quiet: style = QuietStyle()
        }
        let places = zip(plan.items.map(\.key), plan.items.indices)
        state = Mutex(State(unnumbered: Dictionary(places) { first, _ in first }, style: style))
    }

    /// Gives the plan's transfer at `place` the number that an earlier run gave it. New ones get theirs from the engine's
    /// word of their submission.
    func add(_ id: TransferID, at place: Int) { state.withLock { $0.places[id] = place } }

    private func drawLater(_ state: inout State) {
        guard state.style.isDirty else { return }
        // After the end the program's own is near, too.
        if state.hasEnded { return state.style.flush() }
        guard !state.isFlushDue else { return }
        state.isFlushDue = true
        queue.asyncAfter(deadline: .now() + Self.drawInterval) { [self] in
            self.state.withLock { state in
                state.isFlushDue = false
                state.style.flush()
            }
        }
    }

    /// The transfer's specification, once it has its number.
    func specification(of id: TransferID) -> TransferSpecification? {
        state.withLock { $0.places[id] }.map { items[$0].specification }
    }

    /// Tells of an update.
    func take(_ update: EngineUpdate) {
        state.withLock { state in
            defer { drawLater(&state) }
            switch update {
            case .transfer(let transfer):
                if case .submitted(let new) = transfer.kind, let key = new.key {
                    state.places[transfer.id] = state.unnumbered.removeValue(forKey: key)
                }
                guard let place = state.places[transfer.id] else { return }
                state.style.show(transfer, items[place].specification)
            case .conditions(let conditions):
                defer { state.conditions = conditions }
                for note in conditions.notes where state.conditions?.notes.contains(note) != true {
                    state.style.note(note)
                }
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
    func note(_ text: String) {
        state.withLock { state in
            state.style.note(text)
            drawLater(&state)
        }
    }

    /// Leaves the terminal as it should be.
    func end() {
        state.withLock { state in
            state.style.end()
            state.hasEnded = true
        }
    }
}

/// One way of telling.
protocol GetStyle: Sendable {
    /// Tells of a transfer.
    mutating func show(_ update: TransferUpdate, _ specification: TransferSpecification)
    /// Tells something that belongs to no transfer.
    mutating func note(_ text: String)
    /// Ends the output.
    mutating func end()
    /// Whether there is something that `flush()` would draw.
    var isDirty: Bool { get }
    /// Draws what has changed.
    mutating func flush()
}

extension GetStyle {
    // Most styles write at once.
    var isDirty: Bool { false }
    mutating func flush() {}
}
