// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension WallTime {
    /// Returns the time a number of nanoseconds later. A `Duration` would cost a 128-bit division.
    func adding(_ nanoseconds: Int64) -> WallTime {
        WallTime(nanosecondsSinceEpoch: nanosecondsSinceEpoch.addingSaturating(nanoseconds))
    }
}

extension Amount {
    /// The number of whole bytes, rounded up. An incomplete byte counts as missing.
    var wholeBytesRoundedUp: Int64 { Amount(nanobytes: nanobytes + 999_999_999).wholeBytes }
}

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
