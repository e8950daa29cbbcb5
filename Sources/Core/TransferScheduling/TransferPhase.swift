// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// Where a transfer stands. What is only valid in one phase sits in that phase.
enum TransferPhase: Hashable, Sendable {
    /// It waits: for conditions, for a slot, or for what its last attempt ran into.
    case waiting(Obstacle?)
    /// Somebody paused it.
    case paused
    /// An attempt is under way.
    case running(Attempt)
    /// The attempt was told to stop and has not ended yet.
    case stopping(AfterStop)

    /// What the last attempt ran into.
    enum Obstacle: Hashable, Sendable {
        /// It failed, and the next one is due at `until`.
        case backoff(attempt: Int, cause: FailureCause, failed: Moment, until: Instant)
        /// There was no room; it is measured again at `nextLook`.
        case storage(needed: Int64?, available: Int64, since: Moment, nextLook: Instant)
    }

    /// An attempt under way.
    struct Attempt: Hashable, Sendable {
        /// When it began.
        var since: Moment
        /// Bytes that were there when it began.
        var bytesAtStart: Int64
        /// From here on bytes are progress: above all that any attempt ever had, so that fetching the same again, or a
        /// byte an attempt, does not count.
        var progressMark: Int64
        /// The rate seen before it began.
        var rateAtStart: Int64?
        /// When bytes were last reported, for the rate.
        var lastReport: Instant
        /// Since when each fact that it needs is missing, whatever the fact does meanwhile; empty while nothing is.
        var missingSince: [GracedFact: Instant] = [:]
    }

    /// What follows a stop.
    enum AfterStop: Hashable, Sendable {
        /// Waiting for conditions to come back.
        case wait
        /// Staying paused.
        case pause
        /// Its end.
        case cancel
    }

    /// Whether an attempt holds a slot.
    var holdsSlot: Bool {
        switch self {
        case .running, .stopping: true
        case .waiting, .paused: false
        }
    }
}

/// All that the scheduler keeps of one transfer.
struct TransferEntry: Sendable {
    var traits: TransferTraits
    var phase: TransferPhase
    /// Bytes there.
    var bytes: Int64 = 0
    /// The size where the server told it.
    var total: Int64?
    /// The rate seen last, smoothed, in bytes a second.
    var rate: Int64?
    /// The most bytes that any attempt had.
    var mostBytes: Int64 = 0
    /// Failed attempts since the last progress.
    var failures = 0
    /// How often the finished body had the wrong checksum.
    var checksumFailures = 0
    /// Why it did not run when it was last looked at.
    var holds: [Hold] = []

    /// What a policy sees of it.
    var subject: PolicySubject {
        PolicySubject(
            traits: traits, isRunning: phase.holdsSlot, bytesDone: bytes,
            bytesTotal: total ?? traits.expectedBytesToReceive, rate: rate, start: start)
    }

    private var start: PolicySubject.Start? {
        guard case .running(let attempt) = phase else { return nil }
        return PolicySubject.Start(
            date: attempt.since.wall, bytesDone: attempt.bytesAtStart, rate: attempt.rateAtStart)
    }
}
