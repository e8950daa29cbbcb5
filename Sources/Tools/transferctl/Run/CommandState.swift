// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferModel

/// The state of a command, as users see it: what the processes do, and why the command waits.
final class CommandState: Sendable {
    private struct State {
        var status: CommandStatus
        /// The sentence that was last returned to be shown.
        var shown: String?
        var onChange: (@Sendable (CommandStatus) -> Void)?
    }

    private let state: Mutex<State>

    /// Creates the state of a command that waits.
    init(name: String, deadline: WallTime?) {
        state = Mutex(State(status: CommandStatus(name: name, state: .waiting, deadline: deadline)))
    }

    /// The status.
    var status: CommandStatus { state.withLock { $0.status } }

    /// Calls `body` with the status now, and after each change. A later call replaces the function.
    func onChange(_ body: @escaping @Sendable (CommandStatus) -> Void) {
        state.withLock { $0.onChange = body }
        body(status)
    }

    /// Records what the processes do.
    ///
    /// - Returns: A sentence to show, or `nil` if the change is not worth a message.
    func change(to word: String) -> String? {
        guard let new = CommandStatus.State(rawValue: word) else { return nil }
        let old = update { state in
            defer { state.status.state = new }
            return state.status.state
        }
        switch (old, new) {
        case (.frozen, .running): return "continues"
        case (_, .stopping): return "is being ended, because the conditions were lost"
        default: return nil
        }
    }

    /// Records why the command waits.
    ///
    /// - Returns: A sentence to show, or `nil` if it was shown already.
    func wait(for explanation: WaitExplanation) -> String? {
        update { state in
            state.status.explanation = explanation
            let word = state.status.state == .frozen ? "frozen" : "waiting"
            let text = "\(word): \(explanation.sentence)"
            guard !explanation.sentence.isEmpty, text != state.shown else { return nil }
            state.shown = text
            return text
        }
    }

    /// Records that the command need not wait.
    ///
    /// - Returns: Whether the command starts, instead of continuing.
    func start() -> Bool {
        update { state in
            state.status.explanation = WaitExplanation(sentence: "running")
            state.shown = nil
            return state.status.state != .frozen
        }
    }

    private func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, status, onChange) = state.withLock { state in
            let result = body(&state)
            return (result, state.status, state.onChange)
        }
        onChange?(status)
        return result
    }
}
