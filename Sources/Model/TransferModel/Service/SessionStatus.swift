// SPDX-License-Identifier: Apache-2.0

/// The status of a session, derived from its transfers.
package struct SessionStatus: Hashable, Sendable, Codable {
    /// The key of the session.
    package var name: SessionKey
    /// The unfinished transfers by identifier. Empty if only their number was sent.
    package private(set) var transfers: [TransferID] = []
    /// The number of unfinished transfers.
    package private(set) var open = 0
    /// The numbers of unfinished transfers that run, wait, and are paused.
    package private(set) var running = 0
    package private(set) var waiting = 0
    package private(set) var paused = 0
    /// The bytes transferred so far by the unfinished transfers.
    package private(set) var bytes: Int64 = 0
    /// The total bytes of the unfinished transfers, or `nil` if one of the sizes is unknown.
    package private(set) var total: Int64? = 0

    /// The state of the session as a background session, or `nil` if it is none.
    package var background: Background?

    /// The state of a background session beyond its transfers.
    package struct Background: Hashable, Sendable, Codable {
        /// The number of unfinished tasks.
        package var tasks: Int
        /// The number of events that the app has not handled.
        package var waitingEvents: Int
        /// The process that has the session open.
        package var owner: Int32?

        /// Creates the state of a background session.
        package init(tasks: Int, waitingEvents: Int, owner: Int32?) {
            self.tasks = tasks
            self.waitingEvents = waitingEvents
            self.owner = owner
        }
    }

    // A list contains the number of transfers, not their identifiers.
    private enum CodingKeys: CodingKey {
        case name
        case open
        case running
        case waiting
        case paused
        case bytes
        case total
        case background
    }

    /// Creates a status without transfers.
    package init(_ name: SessionKey) { self.name = name }

    /// Adds an unfinished transfer to the counts.
    package mutating func add(_ status: TransferStatus) {
        transfers.append(status.id)
        open += 1
        switch status.state {
        case .running: running += 1
        case .paused: paused += 1
        case .waiting: waiting += 1
        case .finished, .failed, .cancelled: break  // Callers add only unfinished transfers.
        }
        bytes += status.bytes
        total = total.flatMap { sum in status.total.map { sum + $0 } }
    }

    /// The state in one word: running, waiting, paused, or idle.
    package var state: String {
        if running > 0 { return "running" }
        if waiting > 0 { return "waiting" }
        return paused > 0 ? "paused" : "idle"
    }
}
