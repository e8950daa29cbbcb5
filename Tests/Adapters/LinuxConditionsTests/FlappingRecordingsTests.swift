// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@testable import LinuxConditions

@Suite("Flapping conditions do not start and stop transfers each time")
struct FlappingRecordingsTests {
    /// A discretionary transfer on a recorded machine, with the number of its starts and stops and the time of its
    /// last start.
    private struct RecordedTransferRun: ~Copyable {
        private(set) var starts = 0
        private(set) var stops = 0
        private(set) var lastStart: Instant?
        private var scheduler: Scheduler
        private var generator = SplitMix64(seed: 1)
        private var wake: Instant?

        private static let id = TransferID(1)

        init(_ published: [Conditions], at times: [ClockReading]) {
            let start = times.first ?? ClockReading(instant: .zero, wall: WallTime(secondsSinceEpoch: 0))
            scheduler = Scheduler(startingAt: start)
            for (conditions, time) in zip(published, times) {
                pass(until: time)
                apply(.conditionsChanged(conditions), at: time)
                guard time == start else { continue }
                let traits = TransferTraits(
                    kind: .discretionary, constraints: Constraints(metered: .unmetered), host: "example.org",
                    submitted: start.wall)
                apply(.submitted(Self.id, traits), at: time)
            }
            pass(until: (times.last ?? start).advanced(by: .seconds(60)))
        }

        private mutating func pass(until end: ClockReading) {
            while let wake, wake <= end.instant {
                self.wake = nil
                apply(.woken, at: ClockReading(instant: wake, wall: end.wall(at: wake)))
            }
        }

        private mutating func apply(_ event: Event, at now: ClockReading) {
            for effect in scheduler.apply(event, at: now, using: &generator) {
                switch effect {
                case .start:
                    starts += 1
                    lastStart = now.instant
                case .stop(let id):
                    stops += 1
                    apply(.stopped(id, bytes: 0), at: now)
                case .wake(let instant): wake = instant
                case .discard, .end, .saveRetry, .savePaused, .saveRelaunchDelay, .saveStatistics, .measureSpace,
                    .explain, .reportDeadline:
                    break  // not about conditions
                }
            }
        }
    }

    private func replay(_ name: String) throws -> ConditionsReplay {
        try ConditionsReplay(try RecordedRun(name + ".jsonl").bytes, file: name)
    }

    @Test(
        "Each stop follows a lasting loss, and each start a lasting gain",
        arguments: [
            ("power-flapping", 1, 0), ("power-flapping-kernel-ahead", 1, 0), ("metered-flapping", 2, 1),
            ("metered-through-zero", 2, 1), ("wifi-flap-storm", 2, 1), ("wifi-roaming-flap", 3, 2),
        ])
    func flapping(name: String, starts: Int, stops: Int) throws {
        let replay = try replay(name)
        let ride = RecordedTransferRun(replay.published, at: replay.times)
        let counts = (ride.starts, ride.stops)
        #expect(counts == (starts, stops))
    }

    @Test("After the flapping ends, the transfer starts five seconds after the carrier is stable")
    func afterStorm() throws {
        let replay = try replay("wifi-flap-storm")
        let lastStart = RecordedTransferRun(replay.published, at: replay.times).lastStart
        let found = try #require(replay.published.last?.network.since.instant)
        #expect(lastStart == found.advanced(by: .seconds(5)))
    }
}
