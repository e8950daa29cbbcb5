// SPDX-License-Identifier: Apache-2.0
import Synchronization
internal import TransferModel

/// The way of a session's events to the process that has it open.
///
/// While that process does not take in what it is told, because it was stopped, its progress is held back: the bus would keep
/// every word of it. Beyond a bound all else is held back, too, and told again once the process reads: what matters is kept
/// until it is acknowledged (rule C7).
final class EventOutlet: Sendable {
    private struct State {
        /// Events since the process was seen to take any in.
        var sent = 0
        var isAsking = false
        /// The latest progress of each task that was not told.
        var held: [Int: SessionEvent] = [:]
        /// The session: which one it is shows when it has been opened.
        var key: SessionKey?
        /// Whether events were held back that are no progress.
        var hasMissed = false
    }

    private let state = Mutex(State())
    private let send: @Sendable (SessionKey, SessionEvent) -> Void
    private let ask: @Sendable (_ answered: @escaping @Sendable () -> Void) -> Void
    /// So many events are told without knowing whether they are taken in.
    private static let most = 64
    /// So many events are told in all before the process has to take some in.
    private static let mostInAll = 1024
    private let tellAgain: @Sendable (SessionKey) -> Void

    /// - Parameters:
    ///   - tellAgain: has everything told once more that waits for the process; does not wait.
    ///   - send: sends an event, and does not wait.
    ///   - ask: calls back when the process has taken in all that was sent before, or has gone.
    init(
        tellAgain: @escaping @Sendable (SessionKey) -> Void,
        send: @escaping @Sendable (SessionKey, SessionEvent) -> Void,
        ask: @escaping @Sendable (_ answered: @escaping @Sendable () -> Void) -> Void
    ) {
        self.tellAgain = tellAgain
        self.send = send
        self.ask = ask
    }

    /// Tells an event of the session, which is always the same.
    func tell(_ key: SessionKey, _ event: SessionEvent) {
        let isToAsk = state.withLock { state in
            state.key = key
            guard !state.isAsking || state.sent < Self.mostInAll || event.isLast else {
                state.hasMissed = true
                if let task = event.task, event.isProgress { state.held[task] = event }
                return false
            }
            if let task = event.task {
                guard !event.isProgress || !state.isAsking || state.sent < Self.most else {
                    state.held[task] = event
                    return false
                }
                let held = state.held.removeValue(forKey: task)
                if let held, !event.isProgress { send(key, held) }
            }
            // Under the lock, so that events go out in the order in which they are told.
            send(key, event)
            state.sent += 1
            guard !state.isAsking, state.sent >= Self.most else { return false }
            (state.isAsking, state.sent) = (true, 0)
            return true
        }
        if isToAsk { ask { [self] in answered() } }
    }

    private func answered() {
        let again = state.withLock { state -> SessionKey? in
            defer { state = State() }
            guard !state.hasMissed else { return state.key }
            if let key = state.key {
                for (_, event) in state.held.sorted(by: { $0.key < $1.key }) { send(key, event) }
            }
            return nil
        }
        if let again { tellAgain(again) }
    }
}

extension SessionEvent {
    /// Whether nothing comes after it.
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
