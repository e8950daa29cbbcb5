// SPDX-License-Identifier: Apache-2.0

/// How a session stands, as far as its transfers tell.
package struct SessionStatus: Hashable, Sendable, Codable {
    /// What it is called.
    package var name: SessionKey
    /// Its transfers that are not over, by number; empty where only their number is told.
    package private(set) var transfers: [TransferID] = []
    /// How many are not over.
    package private(set) var open = 0
    /// How many of them run, wait and are paused.
    package private(set) var running = 0
    package private(set) var waiting = 0
    package private(set) var paused = 0
    /// Bytes so far of those that are not over.
    package private(set) var bytes: Int64 = 0
    /// All of them; nil where that is not known of each.
    package private(set) var total: Int64? = 0

    /// What is known of it as a background session; nil where it is none.
    package var background: Background?

    /// A background session, which is more than its transfers.
    package struct Background: Hashable, Sendable, Codable {
        /// How many of its tasks are not over.
        package var tasks: Int
        /// What its app has not dealt with yet.
        package var waitingEvents: Int
        /// The process that has it open.
        package var owner: Int32?

        /// A background session.
        package init(tasks: Int, waitingEvents: Int, owner: Int32?) {
            self.tasks = tasks
            self.waitingEvents = waitingEvents
            self.owner = owner
        }
    }

    // A list tells how many transfers there are, not which.
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

    /// A session without transfers.
    package init(_ name: SessionKey) { self.name = name }

    /// Counts one of its transfers.
    package mutating func add(_ status: TransferStatus) {
        transfers.append(status.id)
        open += 1
        switch status.state {
        case .running: running += 1
        case .paused: paused += 1
        case .waiting: waiting += 1
        case .finished, .failed, .cancelled: break  // Not asked for here.
        }
        bytes += status.bytes
        total = total.flatMap { sum in status.total.map { sum + $0 } }
    }

    /// In a word: what most of a session's owners want to know first.
    package var state: String {
        if running > 0 { return "running" }
        if waiting > 0 { return "waiting" }
        return paused > 0 ? "paused" : "idle"
    }
}
