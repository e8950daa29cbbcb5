// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import TransferEngine
import TransferModel

/// Passes updates of a service, and notes from any thread, to a renderer, which draws 20 times a second at most.
final class Reporter: Sendable {
    private struct State {
        var renderer: any TransferRenderer
        var conditions: Conditions?
        /// Whether what is to be drawn will be.
        var isFlushDue = false
        var hasEnded = false
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "transferctl.reporter")
    private static let drawInterval = DispatchTimeInterval.milliseconds(50)
    private let isVerbose: Bool

    /// Passes all on to `renderer`.
    ///
    /// - Parameter isVerbose: whether changes of the machine's conditions are told.
    init(_ renderer: any TransferRenderer, isVerbose: Bool) {
        state = Mutex(State(renderer: renderer))
        self.isVerbose = isVerbose
    }

    /// Tells of an update.
    func take(_ update: ServiceUpdate) {
        draw { state in
            switch update {
            case .changed(let status, let event): state.renderer.show(status, event)
            case .status(let change): state.renderer.show(change)
            case .conditions(let conditions):
                defer { state.conditions = conditions }
                for note in conditions.notes where state.conditions?.notes.contains(note) != true {
                    state.renderer.note(note)
                }
                guard isVerbose, let change = ConditionsText.change(from: state.conditions, to: conditions) else {
                    return
                }
                state.renderer.note(change)
            case .storeTrouble(let error):
                state.renderer.note(
                    error.code == .corrupt
                        ? "\(error)" : "the queue could not be saved: \(error); it is tried again with the next change")
            }
        }
    }

    /// Tells something that belongs to no transfer.
    func note(_ text: String) { draw { $0.renderer.note(text) } }

    /// Leaves the terminal as it should be.
    func end() {
        draw { state in
            state.renderer.end()
            state.hasEnded = true
        }
    }

    private func draw(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            guard state.renderer.isDirty else { return }
            // After the end the program's own is near, too.
            if state.hasEnded { return state.renderer.flush() }
            guard !state.isFlushDue else { return }
            state.isFlushDue = true
            queue.asyncAfter(deadline: .now() + Self.drawInterval) { [self] in
                self.state.withLock { state in
                    state.isFlushDue = false
                    state.renderer.flush()
                }
            }
        }
    }
}
