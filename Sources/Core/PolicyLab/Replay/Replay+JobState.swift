// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Replay {
    /// The state of a job in a replay.
    struct JobState {
        var remaining: Amount
        var outcome: JobOutcome
        /// The time at which the last byte arrived; the job's arrival time before the first byte.
        var lastByte: WallTime
        /// The longest continuous time without a byte of the job, in nanoseconds.
        var longestWait: Int64 = 0
        /// Whether bytes arrived in the current attempt.
        var hasMoved = false
        var isFinished = false
    }
}
