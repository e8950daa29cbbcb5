// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension RelaunchLimiter {
    /// A limiter as it is kept on disk, made so that no clock that was set or began anew can bend its delays.
    ///
    /// It says how much of each period had passed, on a clock that nobody sets, and when that was: by the boot-time
    /// clock of a named boot, and by the wall clock. Read back within that boot, the first counts exactly. After
    /// another boot only the wall clock can tell how long the machine was off; it counts where it went forward, and
    /// the time since that boot counts at least. So nothing is held longer than its delay from that boot on, and a wall
    /// clock that was set while we ran cannot free anything early, provided that a record is made after it was set.
    ///
    /// Make one after every event, when the wall clock was set, and before the machine goes down. A clock that is
    /// set while the machine is off cannot be told from time that passed.
    public struct Record: Hashable, Sendable, Codable {
        /// Names the boot: any text that differs from boot to boot.
        var boot: String
        /// When the record was made, by the clock of that boot.
        var bootNanoseconds: Int64
        /// When the record was made, by the wall clock.
        var wall: WallTime
        var relaunches: Int
        var lastNumber: Int64
        /// How long before the record the last start was.
        var sinceRelaunch: Int64
        var cohorts: [RecordedCohort]
        var expectsRelaunch: Bool
    }

    struct RecordedCohort: Hashable, Sendable, Codable {
        var relaunch: Int64
        /// How long after the record they may begin; below 0 where they might already.
        var untilRelease: Int64
        var unfinished: Int
    }

    /// What to keep, made at `now` in the boot with that name.
    public func record(at now: Moment, boot: String) -> Record {
        var settled = self
        settled.settle(at: now.instant)
        return Record(
            boot: boot, bootNanoseconds: now.instant.nanoseconds, wall: now.wall, relaunches: settled.relaunches,
            lastNumber: settled.lastNumber,
            sinceRelaunch: settled.lastRelaunch.duration(to: now.instant).wholeNanoseconds,
            cohorts: settled.cohorts.map {
                let untilRelease = now.instant.duration(to: $0.release).wholeNanoseconds
                return RecordedCohort(relaunch: $0.relaunch, untilRelease: untilRelease, unfinished: $0.unfinished)
            },
            expectsRelaunch: settled.expectsRelaunch)
    }

    /// The limiter that was kept, read back at `now` in the boot with that name.
    ///
    /// Whatever the record says, no delay is longer than the settings allow; it may have been damaged.
    public init(
        _ record: Record, at now: Moment, boot: String,
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
            // So many that counting on, and adding them up, cannot overflow.
            return Cohort(relaunch: $0.relaunch, release: release, unfinished: min($0.unfinished, 1 << 31))
        }
        settle(at: now.instant)
    }
}

extension RelaunchLimiter.Record {
    /// How much time went by since the record was made, in nanoseconds, as far as that can be known.
    fileprivate func passed(at now: Moment, boot: String) -> Int64 {
        let sinceBoot = now.instant.nanoseconds
        guard boot != self.boot else { return max(sinceBoot.addingSaturating(bootNanoseconds.negatedSaturating), 0) }
        return max(wall.duration(to: now.wall).wholeNanoseconds, sinceBoot, 0)
    }
}
