// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension RelaunchLimiter {
    /// The stored form of a limiter, safe against clocks that are set or restarted.
    ///
    /// A record stores how much of each period had passed, measured by a clock that cannot be set. A record also stores
    /// its own time by two clocks: the boot-time clock of a named boot, and the wall clock.
    ///
    /// Within the same boot, the boot-time clock gives the exact time that has passed. After another boot, only the
    /// wall clock can tell how long the machine was off. If the wall clock went forward, that time counts. The time
    /// since the new boot counts at least.
    ///
    /// Therefore, no task waits longer than its delay after a boot. Setting the wall clock while the daemon runs
    /// cannot release a task early, provided that a new record follows the change.
    ///
    /// Make a record after every event, after the wall clock was set, and before the machine shuts down. A change of
    /// the clock while the machine is off cannot be distinguished from time that passed.
    public struct Record: Hashable, Sendable, Codable {
        /// The name of the boot: any text that differs from boot to boot.
        var boot: String
        /// The time of the record, by the clock of that boot.
        var bootNanoseconds: Int64
        /// The time of the record, by the wall clock.
        var wall: WallTime
        var relaunches: Int
        var lastNumber: Int64
        /// The time from the last launch to the record, in nanoseconds.
        var sinceRelaunch: Int64
        var cohorts: [RecordedCohort]
        var expectsRelaunch: Bool
    }

    struct RecordedCohort: Hashable, Sendable, Codable {
        var relaunch: Int64
        /// The time from the record to the release of the tasks, in nanoseconds. Negative if the release was before
        /// the record.
        var untilRelease: Int64
        var unfinished: Int
    }

    /// Returns the stored form of the limiter at `now`.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - boot: The name of the current boot.
    public func record(at now: ClockReading, boot: String) -> Record {
        var current = self
        current.resetIfInactive(at: now.instant)
        return Record(
            boot: boot, bootNanoseconds: now.instant.nanoseconds, wall: now.wall, relaunches: current.relaunches,
            lastNumber: current.lastNumber,
            sinceRelaunch: current.lastRelaunch.duration(to: now.instant).wholeNanoseconds,
            cohorts: current.cohorts.map {
                let untilRelease = now.instant.duration(to: $0.release).wholeNanoseconds
                return RecordedCohort(relaunch: $0.relaunch, untilRelease: untilRelease, unfinished: $0.unfinished)
            },
            expectsRelaunch: current.expectsRelaunch)
    }

    /// Restores a limiter from its stored form at `now`.
    ///
    /// The record may be damaged. No delay exceeds the maximum in `configuration`, regardless of the record.
    ///
    /// - Parameters:
    ///   - record: The stored form.
    ///   - now: The current time.
    ///   - boot: The name of the current boot.
    ///   - configuration: The delays of the limiter.
    public init(
        _ record: Record, at now: ClockReading, boot: String,
        configuration: RelaunchLimiterConfiguration = RelaunchLimiterConfiguration()
    ) {
        self.init(configuration: configuration)
        let made = now.instant.nanoseconds.addingSaturating(record.passed(at: now, boot: boot).negatedSaturating)
        relaunches = max(record.relaunches, 0)
        lastNumber = record.lastNumber
        lastRelaunch = Instant(nanoseconds: made.addingSaturating(-max(record.sinceRelaunch, 0)))
        expectsRelaunch = record.expectsRelaunch
        let longest = max(configuration.longest.wholeNanoseconds, 0)
        cohorts = record.cohorts.filter { $0.unfinished > 0 }.map {
            let release = Instant(nanoseconds: made.addingSaturating(min($0.untilRelease, longest)))
            // The maximum leaves room, so that later additions and sums cannot overflow.
            return Cohort(relaunch: $0.relaunch, release: release, unfinished: min($0.unfinished, 1 << 31))
        }
        resetIfInactive(at: now.instant)
    }
}

extension RelaunchLimiter.Record {
    /// Returns the time since the record was made, in nanoseconds, or the best lower bound if the time is unknown.
    fileprivate func passed(at now: ClockReading, boot: String) -> Int64 {
        let sinceBoot = now.instant.nanoseconds
        guard boot != self.boot else { return max(sinceBoot.addingSaturating(bootNanoseconds.negatedSaturating), 0) }
        return max(wall.duration(to: now.wall).wholeNanoseconds, sinceBoot, 0)
    }
}
