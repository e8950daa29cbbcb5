// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
internal import TransferModel

/// Decides when an attempt reports its progress and makes its bytes durable: regularly, but not for each block.
///
/// All times are nanoseconds of `MonotonicTime`.
struct ReportSchedule {
    private let progressInterval: UInt64
    private let checkpointInterval: UInt64
    private let checkpointBytes: Int64
    private var lastProgress: UInt64 = 0
    private var lastCheckpoint: UInt64 = 0
    /// The last reported number of bytes. `nil` before the first report and after a restart.
    private(set) var reportedBytes: Int64?

    init(_ configuration: HTTPExecutorConfiguration) {
        progressInterval = UInt64(max(0, configuration.progressInterval.wholeNanoseconds))
        checkpointInterval = MonotonicTime.nanoseconds(ofSeconds: configuration.checkpointSeconds)
        checkpointBytes = configuration.checkpointBytes
    }

    /// Returns whether `bytes` must be reported at `now`. If so, records the number as reported.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes transferred so far.
    ///   - now: The current time.
    ///   - isForced: Whether a new number is reported even if the last report was recent.
    mutating func reportsProgress(_ bytes: Int64, now: UInt64, isForced: Bool = true) -> Bool {
        guard bytes != reportedBytes, isForced || now >= lastProgress + progressInterval else { return false }
        (lastProgress, reportedBytes) = (now, bytes)
        return true
    }

    /// Returns whether a checkpoint is due: `checkpointBytes` are unsynced, or some bytes are and the interval has
    /// passed.
    func wantsCheckpoint(of unsynced: Int64, now: UInt64) -> Bool {
        unsynced >= checkpointBytes || unsynced > 0 && wantsCheckpoint(now: now)
    }

    /// Returns whether the checkpoint interval has passed since the last checkpoint.
    func wantsCheckpoint(now: UInt64) -> Bool { now - min(lastCheckpoint, now) >= checkpointInterval }

    /// Records a checkpoint. The interval to the next checkpoint begins at `now`.
    mutating func checkpoint(now: UInt64) { lastCheckpoint = now }

    /// Restarts the count at 0. The next number is reported whatever its value.
    mutating func restart() { reportedBytes = nil }
}
