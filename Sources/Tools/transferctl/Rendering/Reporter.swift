// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import ToolSupport
import TransferEngine
import TransferModel

/// A sink for service updates, and for messages from any thread. It passes them to a renderer, which draws at most 20
/// times a second.
final class Reporter: Sendable {
    private struct State {
        var renderer: any TransferRenderer
        var conditions: Conditions?
        /// A Boolean value that indicates whether a flush is scheduled.
        var isFlushDue = false
        var hasEnded = false
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "transferctl.reporter")
    private static let drawInterval = DispatchTimeInterval.milliseconds(50)
    private let isVerbose: Bool

    /// Creates a reporter for a renderer.
    ///
    /// - Parameter isVerbose: A Boolean value that indicates whether to report changes of the machine's conditions.
    init(_ renderer: any TransferRenderer, isVerbose: Bool) {
        state = Mutex(State(renderer: renderer))
        self.isVerbose = isVerbose
    }

    /// Reports an update.
    func show(_ update: ServiceUpdate) {
        draw { state in
            switch update {
            case .changed(let status, let event): state.renderer.show(status, event)
            case .status(let change): state.renderer.show(change)
            case .conditions(let conditions):
                defer { state.conditions = conditions }
                for note in conditions.notes where state.conditions?.notes.contains(note) != true {
                    state.renderer.showMessage(note)
                }
                guard isVerbose, let change = ConditionsText.change(from: state.conditions, to: conditions) else {
                    return
                }
                state.renderer.showMessage(change)
            case .storeError(let error):
                state.renderer.showMessage(
                    error.code == .corrupt
                        ? "\(error)" : "cannot save the queue: \(error); saving is retried with the next change")
            }
        }
    }

    /// Reports a message that belongs to no transfer.
    func showMessage(_ text: String) { draw { $0.renderer.showMessage(text) } }

    /// Ends the output and restores the terminal.
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
            // After the end, the program may exit before a scheduled flush.
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

/// A renderer of a service's updates. The service may be in this process or on the bus.
protocol TransferRenderer: Sendable {
    /// Shows a change of a transfer. `event` is `nil` if the service reports states only.
    mutating func show(_ status: TransferStatus, _ event: TransferEvent?)
    /// Shows a change of the service or of the machine.
    mutating func show(_ change: DaemonStatus)
    /// Shows a message that belongs to no transfer.
    mutating func showMessage(_ text: String)
    /// Ends the output.
    mutating func end()
    /// A Boolean value that indicates whether `flush()` has anything to draw.
    var isDirty: Bool { get }
    /// Draws the pending changes.
    mutating func flush()
}

extension TransferRenderer {
    mutating func show(_ change: DaemonStatus) {}
    mutating func showMessage(_ text: String) { Console.error("transferctl: \(text)".printable) }
    mutating func end() {}
    // Most renderers write immediately.
    var isDirty: Bool { false }
    mutating func flush() {}
}
