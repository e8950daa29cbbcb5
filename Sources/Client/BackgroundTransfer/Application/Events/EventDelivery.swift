// SPDX-License-Identifier: Apache-2.0

/// The progress of a program in handling the sessions that it was started or called for.
///
/// The progress decides whether a session may report its events, and whether the program may end.
struct EventDelivery: Sendable {
    /// The decisions on whether the program may end.
    enum Verdict: Hashable {
        /// The program may end. No handler, event, or background task is unfinished.
        case done
        /// No handler or event is unfinished. A call is expected, a session has more events, or a background task has
        /// not ended.
        case idle
        /// A handler has not called its completion handler, or an event is being handled.
        case busy
    }

    /// The number of handler calls that are expected or have not returned, by session.
    private var announcing: [String: Int] = [:]
    /// The number of expected handler calls that have not begun, by session.
    private var expected: [String: Int] = [:]
    /// The event readers that wait for a handler to return, by session.
    private var gates: [String: [CheckedContinuation<Void, Never>]] = [:]
    /// The number of handlers that have not called their completion handler.
    private var handling = 0
    /// Whether a handler has been called.
    private var wasCalled = false
    /// Whether the program may not end before a handler has been called.
    private var waitsForCall = false
    /// The sessions whose last waiting event has not been handled.
    private var owed: Set<String> = []
    /// The sessions whose last waiting event has been handled since the program started.
    private var reported: Set<String> = []
    /// The number of reported events that have not been handled.
    private var inHand = 0
    /// The background tasks of the program, with their expiration handlers.
    private(set) var backgroundTasks: [Int: @Sendable () -> Void] = [:]
    private var lastBackgroundTask = 0
    /// A counter of the changes that restart the idle limit.
    private(set) var generation = 0

    var verdict: Verdict {
        if handling > 0 || inHand > 0 { return .busy }
        return owed.isEmpty && backgroundTasks.isEmpty && (wasCalled || !waitsForCall) ? .done : .idle
    }

    // MARK: Handlers

    /// Delays the events of a session until an expected call of the handler has returned.
    mutating func expectHandler(for session: String) {
        announcing[session, default: 0] += 1
        expected[session, default: 0] += 1
    }

    /// Records that a session's handler is called.
    mutating func beginHandler(for session: String) {
        if let count = expected[session] {
            expected[session] = count == 1 ? nil : count - 1
        } else {
            announcing[session, default: 0] += 1
        }
        handling += 1
        wasCalled = true
        generation += 1
    }

    /// Records that the program was started for a call that may not have arrived yet.
    mutating func waitForCall() {
        waitsForCall = true
        generation += 1
    }

    /// Records that a session's handler has returned.
    ///
    /// - Returns: The readers of events that may continue.
    mutating func handlerReturned(for session: String) -> [CheckedContinuation<Void, Never>] {
        guard let count = announcing[session] else { return [] }
        announcing[session] = count == 1 ? nil : count - 1
        return count == 1 ? gates.removeValue(forKey: session) ?? [] : []
    }

    /// Records that a handler has called its completion handler.
    mutating func handlerCompleted() {
        handling -= 1
        generation += 1
    }

    /// Stores a reader that waits for a session's handler.
    ///
    /// - Returns: Whether the reader has to wait.
    mutating func wait(_ reader: CheckedContinuation<Void, Never>, for session: String) -> Bool {
        guard announcing[session] != nil else { return false }
        gates[session, default: []].append(reader)
        return true
    }

    /// Returns whether a reader waits for a session's handler.
    func isAwaited(session: String) -> Bool { gates[session] != nil }

    // MARK: Events

    /// Records that a session has events for this program.
    ///
    /// - Parameter isLaunch: Whether the program was started for the events. If so, and if the events have already
    ///   been handled, the call has no effect.
    mutating func oweEvents(of session: String, isLaunch: Bool = false) {
        guard !isLaunch || !reported.contains(session) else { return }
        owed.insert(session)
        generation += 1
    }

    /// Records that an event was reported.
    mutating func beginEvent() {
        inHand += 1
        generation += 1
    }

    /// Records that an event was handled.
    ///
    /// - Parameter session: The session if the event is the last of the session's waiting events, `nil` otherwise.
    mutating func endEvent(lastOf session: String?) {
        inHand -= 1
        generation += 1
        guard let session else { return }
        reported.insert(session)
        owed.remove(session)
    }

    /// Records that a session has ended and reports no more events.
    mutating func end(_ session: String) {
        owed.remove(session)
        generation += 1
    }

    // MARK: Background tasks

    /// Adds a background task and returns its number, 1 or more.
    mutating func beginBackgroundTask(_ expiration: @escaping @Sendable () -> Void) -> Int {
        lastBackgroundTask += 1
        backgroundTasks[lastBackgroundTask] = expiration
        generation += 1
        return lastBackgroundTask
    }

    /// Removes a background task. Does nothing for an unknown number.
    mutating func endBackgroundTask(_ number: Int) {
        backgroundTasks[number] = nil
        generation += 1
    }
}
