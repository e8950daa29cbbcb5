// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// Where a transfer stands. What is only valid in one phase sits in that phase.
package enum TransferPhase: Hashable, Sendable {
    /// It waits: for conditions, for a slot, or for what its last attempt ran into.
    case waiting(Obstacle?)
    /// Somebody paused it.
    case paused(since: Moment)
    /// An attempt is under way.
    case running(Attempt)
    /// The attempt was told to stop and has not ended yet.
    case stopping(AfterStop)

    /// What the last attempt ran into.
    package enum Obstacle: Hashable, Sendable {
        /// It failed, and the next one is due at `until`.
        case backoff(attempt: Int, cause: FailureCause, failed: Moment, until: Instant)
        /// There was no room; it is measured again at `nextLook`.
        case storage(needed: Int64?, available: Int64, since: Moment, nextLook: Instant)
    }

    /// An attempt under way.
    package struct Attempt: Hashable, Sendable {
        /// When it began.
        package var since: Moment
        /// Bytes that were there when it began.
        package var bytesAtStart: Int64
        /// From here on bytes are progress: above all that any attempt ever had, so that fetching the same again, or a
        /// byte an attempt, does not count.
        package var progressMark: Int64
        /// The rate seen before it began.
        package var rateAtStart: Int64?
        /// When bytes were last reported, for the rate.
        package var lastReport: Instant
        /// When the last byte came that no attempt had before; its start before there is one.
        package var lastNewByte: Instant
        /// Since when each fact that it needs is missing, whatever the fact does meanwhile; empty while nothing is.
        package var missingSince: [GracedFact: Instant] = [:]

        package init(
            since: Moment, bytesAtStart: Int64, progressMark: Int64, rateAtStart: Int64?, lastReport: Instant,
            lastNewByte: Instant
        ) {
            self.since = since
            self.bytesAtStart = bytesAtStart
            self.progressMark = progressMark
            self.rateAtStart = rateAtStart
            self.lastReport = lastReport
            self.lastNewByte = lastNewByte
        }
    }

    /// What follows a stop.
    package enum AfterStop: Hashable, Sendable {
        /// Waiting for conditions to come back.
        case wait
        /// Staying paused.
        case pause
        /// Its end.
        case cancel
        /// Its end, because its time is up.
        case expire
    }

    /// Whether an attempt is under way that was not told to stop.
    package var isRunning: Bool {
        switch self {
        case .running: true
        case .waiting, .paused, .stopping: false
        }
    }

    /// Whether an attempt holds a slot.
    package var holdsSlot: Bool {
        switch self {
        case .running, .stopping: true
        case .waiting, .paused: false
        }
    }
}
