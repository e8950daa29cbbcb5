// SPDX-License-Identifier: Apache-2.0
import Synchronization
internal import TransferModel

/// The sink that sends a session's events to the process that has the session open.
///
/// If the process does not read, for example because it is suspended, the sink withholds progress events. The bus
/// would otherwise buffer every message. Beyond a second bound, the sink withholds all events except the session's
/// last. After the process reads again, the sink requests that the pending events be sent again. Important events are
/// kept until they are acknowledged (rule C7).
final class EventSink: Sendable {
    private struct State {
        /// The number of events sent since the process last confirmed that it reads. Restarts at 0 when the sink
        /// requests the next confirmation.
        var sent = 0
        var awaitsConfirmation = false
        /// The latest withheld progress of each task.
        var withheld: [Int: SessionEvent] = [:]
        /// The session, which is known after the first event.
        var key: SessionKey?
        /// Whether events were withheld after the sink reached `mostUnconfirmed`.
        var hasMissed = false
    }

    private let state = Mutex(State())
    private let send: @Sendable (SessionKey, SessionEvent) -> Void
    private let ask: @Sendable (_ confirmed: @escaping @Sendable () -> Void) -> Void
    /// The number of events after which the sink requests a confirmation. While the confirmation is pending, progress
    /// is withheld after this number of further events.
    private static let most = 64
    /// The number of events, sent while a confirmation is pending, after which the sink withholds all events except
    /// the session's last.
    private static let mostUnconfirmed = 1024
    private let resendEvents: @Sendable (SessionKey) -> Void

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - resendEvents: Requests that all pending events be sent to the process again; does not wait.
    ///   - send: Sends an event; does not wait.
    ///   - ask: Calls back after the process has read everything sent earlier, or has disconnected.
    init(
        resendEvents: @escaping @Sendable (SessionKey) -> Void,
        send: @escaping @Sendable (SessionKey, SessionEvent) -> Void,
        ask: @escaping @Sendable (_ confirmed: @escaping @Sendable () -> Void) -> Void
    ) {
        self.resendEvents = resendEvents
        self.send = send
        self.ask = ask
    }

    /// Sends or withholds an event. The session must be the same in every call.
    func deliver(_ key: SessionKey, _ event: SessionEvent) {
        let needsConfirmation = state.withLock { state in
            state.key = key
            guard !state.awaitsConfirmation || state.sent < Self.mostUnconfirmed || event.isLast else {
                state.hasMissed = true
                if let task = event.task, event.isProgress { state.withheld[task] = event }
                return false
            }
            if let task = event.task {
                guard !event.isProgress || !state.awaitsConfirmation || state.sent < Self.most else {
                    state.withheld[task] = event
                    return false
                }
                let withheld = state.withheld.removeValue(forKey: task)
                if let withheld, !event.isProgress { send(key, withheld) }
            }
            // Sent under the lock, so that events keep their order.
            send(key, event)
            state.sent += 1
            guard !state.awaitsConfirmation, state.sent >= Self.most else { return false }
            (state.awaitsConfirmation, state.sent) = (true, 0)
            return true
        }
        if needsConfirmation { ask { [self] in confirmed() } }
    }

    private func confirmed() {
        let again = state.withLock { state -> SessionKey? in
            defer { state = State() }
            guard !state.hasMissed else { return state.key }
            if let key = state.key {
                for (_, event) in state.withheld.sorted(by: { $0.key < $1.key }) { send(key, event) }
            }
            return nil
        }
        if let again { resendEvents(again) }
    }
}

extension SessionEvent {
    /// Whether no event follows.
    fileprivate var isLast: Bool {
        if case .invalidated = kind { true } else { false }
    }

    fileprivate var isProgress: Bool {
        switch kind {
        case .received, .sent: true
        case .continued, .responded, .downloaded, .body, .completed, .willBegin, .challenged, .called, .finishedEvents,
            .invalidated:
            false
        }
    }
}
