// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferQueue

@testable import TransferScheduling

@Suite("Obstacles")
struct ObstaclesTests {
    private let now = ClockReading(instant: Instant(nanoseconds: 0), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    @Test("Free space is measured after the interval, for each transfer separately")
    func measurements() {
        var obstacles = Obstacles(spaceInterval: .seconds(15))
        #expect(obstacles.nextMeasurement == nil)
        for (id, seconds) in [(7, 0), (3, 0), (5, 2)] {
            let then = now.advanced(by: .seconds(seconds))
            let phase = obstacles.waitForSpace(needed: 10, available: 1, since: now, at: then)
            obstacles.add(TransferID(Int64(id)), phase)
        }
        let due = now.instant.advanced(by: .seconds(15))
        #expect(obstacles.nextMeasurement == due)
        #expect(obstacles.dueMeasurements(at: due.advanced(by: .nanoseconds(-1))) == [])
        #expect(obstacles.dueMeasurements(at: due) == [3, 7].map(TransferID.init(_:)))
        #expect(obstacles.dueMeasurements(at: due.advanced(by: .seconds(2))) == [3, 5, 7].map(TransferID.init(_:)))
        for id in [3, 7].map(TransferID.init(_:)) {
            obstacles.remove(id, .waiting(.storage(needed: nil, available: 0, since: now, nextReevaluation: due)))
        }
        #expect(obstacles.nextMeasurement == due.advanced(by: .seconds(2)))
    }

    @Test("A backoff ends by removal or start; waiting or paused transfers have no obstacle")
    func backoffs() {
        var obstacles = Obstacles(spaceInterval: .seconds(15))
        let backoff = TransferPhase.waiting(
            .backoff(attempt: 1, cause: .timeout, failed: now, until: now.instant.advanced(by: .seconds(60))))
        obstacles.add(TransferID(1), backoff)
        obstacles.add(TransferID(2), backoff)
        obstacles.add(TransferID(3), .waiting(nil))
        obstacles.add(TransferID(4), .paused(since: now))
        #expect(obstacles.backingOff == [TransferID(1), TransferID(2)])
        obstacles.remove(TransferID(3), .waiting(nil))
        obstacles.remove(TransferID(1), backoff)
        #expect(obstacles.backingOff == [TransferID(2)])
        obstacles.started(TransferID(2))
        #expect(obstacles.backingOff == [])
        #expect(obstacles.nextMeasurement == nil)
    }
}
