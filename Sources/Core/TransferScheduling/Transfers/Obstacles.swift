// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferQueue

/// An index of the waiting transfers with an obstacle from their last attempt: a backoff, which time ends, or a lack
/// of disk space, which a measurement ends.
struct Obstacles: Sendable {
    /// The transfers in backoff.
    private(set) var backingOff: Set<TransferID> = []
    /// The times of the next space measurements, by the transfers that wait for space.
    private var measurements: [TransferID: Instant] = [:]
    /// The time between two space measurements.
    private let spaceInterval: Duration

    init(spaceInterval: Duration) { self.spaceInterval = spaceInterval }

    /// Adds a transfer that enters the queue, if its phase has an obstacle.
    mutating func add(_ id: TransferID, _ phase: TransferPhase) {
        switch phase {
        case .waiting(.backoff): backingOff.insert(id)
        case .waiting(.storage(_, _, _, let reevaluation)): measurements[id] = reevaluation
        case .waiting(nil), .paused, .running, .stopping: break
        }
    }

    /// Removes a transfer that leaves the queue.
    mutating func remove(_ id: TransferID, _ phase: TransferPhase) {
        switch phase {
        case .waiting(.backoff): backingOff.remove(id)
        case .waiting(.storage): measurements[id] = nil
        case .waiting(nil), .paused, .running, .stopping: break
        }
    }

    /// Removes a transfer that starts after its backoff has elapsed.
    mutating func started(_ id: TransferID) {
        // The check comes first, because few starts follow a failure.
        if !backingOff.isEmpty { backingOff.remove(id) }
    }

    /// Returns the phase of a transfer that waits for space, with the time of its next measurement.
    func waitForSpace(needed: Int64?, available: Int64, since: ClockReading, at now: ClockReading) -> TransferPhase {
        .waiting(
            .storage(
                needed: needed, available: available, since: since,
                nextReevaluation: now.instant.advanced(by: spaceInterval)))
    }

    /// The time of the next measurement; `nil` if no transfer waits for space.
    var nextMeasurement: Instant? { measurements.isEmpty ? nil : measurements.values.min() }

    /// Returns the transfers whose space measurement is due at `now`, ordered by id.
    func dueMeasurements(at now: Instant) -> [TransferID] {
        guard !measurements.isEmpty else { return [] }
        return measurements.filter { $1 <= now }.keys.sorted()
    }
}
