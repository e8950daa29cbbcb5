// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// The phase of a transfer. State that is valid in only one phase is stored in that phase.
package enum TransferPhase: Hashable, Sendable {
    /// The transfer waits for conditions, for a slot, or for the end of its last attempt's obstacle.
    case waiting(Obstacle?)
    /// The transfer is paused.
    case paused(since: ClockReading)
    /// An attempt is under way.
    case running(Attempt)
    /// The attempt was stopped and has not ended yet.
    case stopping(AfterStop)

    /// The obstacle that ended the last attempt.
    package enum Obstacle: Hashable, Sendable {
        /// The attempt failed, and the next attempt is due at `until`.
        case backoff(attempt: Int, cause: FailureCause, failed: ClockReading, until: Instant)
        /// There was not enough space. The free space is measured again at `nextReevaluation`.
        case storage(needed: Int64?, available: Int64, since: ClockReading, nextReevaluation: Instant)
    }

    /// An attempt that is under way.
    package struct Attempt: Hashable, Sendable {
        /// The time at which the attempt began.
        package var since: ClockReading
        /// The number of bytes present when the attempt began.
        package var bytesAtStart: Int64
        /// The number of bytes above which bytes count as progress. The mark exceeds the bytes of every earlier
        /// attempt: fetching the same bytes again, or one byte per attempt, is not progress.
        package var progressMark: Int64
        /// The rate before the attempt began.
        package var rateAtStart: Int64?
        /// The estimated need before the attempt began; `nil` without a deadline.
        package var needAtStart: Duration?
        /// The time of the last report of bytes, for the rate.
        package var lastReport: Instant
        /// The time of the last byte that no earlier attempt had; the attempt's start before the first such byte.
        package var lastNewByte: Instant
        /// The time since which each required fact is missing, regardless of later changes of the fact. Empty while
        /// nothing is missing.
        package var missingSince: [HysteresisFact: Instant] = [:]

        package init(
            since: ClockReading, bytesAtStart: Int64, progressMark: Int64, rateAtStart: Int64?, needAtStart: Duration?,
            lastReport: Instant, lastNewByte: Instant
        ) {
            self.since = since
            self.bytesAtStart = bytesAtStart
            self.progressMark = progressMark
            self.rateAtStart = rateAtStart
            self.needAtStart = needAtStart
            self.lastReport = lastReport
            self.lastNewByte = lastNewByte
        }
    }

    /// The action after a stop.
    package enum AfterStop: Hashable, Sendable {
        /// Waits for conditions to return.
        case wait
        /// Stays paused.
        case pause
        /// Ends the transfer, because it was canceled.
        case cancel
        /// Ends the transfer, because it expired.
        case expire
    }

    /// A Boolean value that indicates whether an attempt is under way that is not stopping.
    package var isRunning: Bool {
        switch self {
        case .running: true
        case .waiting, .paused, .stopping: false
        }
    }

    /// Whether an attempt uses a slot.
    package var occupiesSlot: Bool {
        switch self {
        case .running, .stopping: true
        case .waiting, .paused: false
        }
    }
}
