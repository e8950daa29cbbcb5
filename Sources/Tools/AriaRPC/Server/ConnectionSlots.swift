// SPDX-License-Identifier: Apache-2.0

/// The connections of all clients, as far as they concern each other.
///
/// Any program of any user of this machine can connect. A client is a stranger until one of its calls has the right
/// token. Strangers share a part of the slots, in which a new connection ends the oldest one. After a wrong token, a
/// connection keeps its slot for the delay of its answer, even if its client has gone. The number of slots therefore
/// limits how many tokens can be tried in a second, and nobody waits for the delay of another connection.
actor ConnectionSlots {
    /// The numbers of connections, and the delay.
    struct Limits: Sendable {
        /// The maximum number of connections without the right token.
        var strangers = 128
        /// The maximum number of connections that have sent the right token. Others remain strangers.
        var authorized = 16
        /// The delay of the answer to a wrong token.
        var delay = Duration.milliseconds(500)
    }

    /// The identifier of a connection, in the order of their starts.
    typealias ID = Int

    private struct Connection {
        /// Ends the connection.
        var end: @Sendable () -> Void
        var isAuthorized = false
        var isDelayed = false
        /// Whether the connection has been ended for a new one.
        var isEnded = false
    }

    private let limits: Limits
    private let clock: any Clock<Duration>
    private var connections: [ID: Connection] = [:]
    private var next = 0
    /// New connections, while all strangers are delayed.
    private(set) var waiting: [CheckedContinuation<Void, Never>] = []
    /// The connection whose long text is in memory.
    private var longText: ID?
    private(set) var waitingForLongText: [CheckedContinuation<Void, Never>] = []

    /// Creates slots without connections.
    init(_ limits: Limits = Limits(), clock: any Clock<Duration> = ContinuousClock()) {
        (self.limits, self.clock) = (limits, clock)
    }

    // MARK: Slots

    /// Adds a connection. Ends the oldest stranger if strangers use all their slots, or waits while all of them are delayed.
    ///
    /// - Parameter end: Ends the connection, which must then call ``leave(_:)``.
    func enter(_ end: @escaping @Sendable () -> Void) async -> ID {
        while true {
            let strangers = connections.filter { !$0.value.isAuthorized && !$0.value.isEnded }
            if strangers.count < limits.strangers { break }
            if let oldest = strangers.filter({ !$0.value.isDelayed }).keys.min() {
                connections[oldest]?.isEnded = true
                connections[oldest]?.end()
                break
            }
            await withCheckedContinuation { waiting.append($0) }
        }
        next += 1
        connections[next] = Connection(end: end)
        return next
    }

    /// Removes a connection that has ended.
    func leave(_ id: ID) {
        connections[id] = nil
        releaseLongText(id)
        wake()
    }

    private func wake() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    // MARK: Tokens

    /// Records that a call had the right token.
    func authorize(_ id: ID) {
        guard connections.values.count(where: \.isAuthorized) < limits.authorized else { return }
        connections[id]?.isAuthorized = true
        wake()
    }

    /// Returns whether a connection has sent the right token.
    func isAuthorized(_ id: ID) -> Bool { connections[id]?.isAuthorized ?? false }

    /// Waits for the delay of the answer to a wrong token.
    func delay(_ id: ID) async {
        connections[id]?.isDelayed = true
        try? await clock.sleep(for: limits.delay)
        connections[id]?.isDelayed = false
        wake()
    }

    // MARK: Long texts

    /// Waits until no other connection has a long text in memory.
    func claimLongText(_ id: ID) async {
        while let holder = longText, holder != id {
            await withCheckedContinuation { waitingForLongText.append($0) }
        }
        longText = id
    }

    /// Ends ``claimLongText(_:)``.
    func releaseLongText(_ id: ID) {
        guard longText == id else { return }
        longText = nil
        if !waitingForLongText.isEmpty { waitingForLongText.removeFirst().resume() }
    }
}
