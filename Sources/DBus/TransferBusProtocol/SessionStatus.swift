// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// How a session stands, as far as its transfers tell.
package struct SessionStatus: Hashable, Sendable {
    /// What it is called.
    package var name: SessionKey
    /// Its transfers that are not over, by number.
    package var transfers: [TransferID] = []
    /// How many of them run, wait and are paused.
    package var running = 0
    package var waiting = 0
    package var paused = 0
    /// Bytes so far of those that are not over.
    package var bytes: Int64 = 0
    /// All of them; nil where that is not known of each.
    package var total: Int64? = 0

    /// What is known of it as a background session; nil where it is none.
    package var background: Background?

    /// A background session, which is more than its transfers.
    package struct Background: Hashable, Sendable {
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

    /// A session without transfers.
    package init(_ name: SessionKey) { self.name = name }

    /// Counts one of its transfers.
    package mutating func add(_ status: TransferStatus) {
        transfers.append(status.id)
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

    /// What goes over the bus in a list.
    package var fields: [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "path": .string(name.path), "app": .string(name.app),
            "identifier": .string(name.identifier), "state": .string(state), "open": .integer(Int64(transfers.count)),
            "running": .integer(Int64(running)), "waiting": .integer(Int64(waiting)),
            "paused": .integer(Int64(paused)), "bytes": .integer(bytes),
        ]
        fields["total"] = total.map(VariantValue.integer)
        fields["tasks"] = background.map { .integer(Int64($0.tasks)) }
        fields["waiting-events"] = background.map { .integer(Int64($0.waitingEvents)) }
        fields["owner"] = background?.owner.map { .integer(Int64($0)) }
        return fields
    }

    /// The properties of its object.
    package var properties: [String: VariantValue] {
        [
            "Identifier": .string(name.identifier), "App": .string(name.app), "State": .string(state),
            "Transfers": .paths(transfers.map { "\(TransferBusName.transfersPath)/\($0.rawValue)" }),
        ]
    }
}
