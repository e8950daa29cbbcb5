// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferQueue

/// An index of the waiting transfers whose last attempt ran into something that time or a measurement takes away.
struct Obstacles: Sendable {
    /// The transfers that wait for the end of a backoff.
    private(set) var backingOff: Set<TransferID> = []
    /// When room is measured again, by the transfer that waits for it.
    private var measurements: [TransferID: Instant] = [:]
    /// The time between two measurements.
    private let spaceInterval: Duration

    init(spaceInterval: Duration) { self.spaceInterval = spaceInterval }

    /// Adds a transfer that comes into the queue, if there is an obstacle.
    mutating func add(_ id: TransferID, _ phase: TransferPhase) {
        switch phase {
        case .waiting(.backoff): backingOff.insert(id)
        case .waiting(.storage(_, _, _, let look)): measurements[id] = look
        case .waiting(nil), .paused, .running, .stopping: break
        }
    }

    /// Removes a transfer that goes out of the queue.
    mutating func remove(_ id: TransferID, _ phase: TransferPhase) {
        switch phase {
        case .waiting(.backoff): backingOff.remove(id)
        case .waiting(.storage): measurements[id] = nil
        case .waiting(nil), .paused, .running, .stopping: break
        }
    }

    /// Removes a transfer whose backoff has come to its end by time, and which starts.
    mutating func started(_ id: TransferID) {
        // Looked at first: hardly any start comes after a failure.
        if !backingOff.isEmpty { backingOff.remove(id) }
    }

    /// The phase of a transfer that waits for room, which is measured again after a while.
    func waitForSpace(needed: Int64?, available: Int64, since: Moment, at now: Moment) -> TransferPhase {
        .waiting(
            .storage(
                needed: needed, available: available, since: since,
                nextLook: now.instant.advanced(by: spaceInterval)))
    }

    /// The moment of the next measurement; nil if no transfer waits for room.
    var nextMeasurement: Instant? { measurements.isEmpty ? nil : measurements.values.min() }

    /// The transfers for which room is to be measured now, in order.
    func dueMeasurements(at now: Instant) -> [TransferID] {
        guard !measurements.isEmpty else { return [] }
        return measurements.filter { $1 <= now }.keys.sorted()
    }
}
