// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
internal import TransferModel

/// The times at which an attempt reports its progress and what is durable of it: often enough, and not for each block.
///
/// All times are nanoseconds of `MonotonicTime`.
struct ReportSchedule {
    private let progressInterval: UInt64
    private let checkpointInterval: UInt64
    private let checkpointBytes: Int64
    private var lastProgress: UInt64 = 0
    private var lastCheckpoint: UInt64 = 0
    /// The number of bytes that was reported last; nil before the first report and after a restart.
    private(set) var reportedBytes: Int64?

    init(_ configuration: URLSessionExecutorConfiguration) {
        progressInterval = UInt64(max(0, configuration.progressInterval.wholeNanoseconds))
        checkpointInterval = UInt64(max(0, configuration.checkpointSeconds)) * 1_000_000_000
        checkpointBytes = configuration.checkpointBytes
    }

    /// Whether that number of bytes is to be reported at `now`; if so, counts it as reported.
    ///
    /// - Parameter isForced: whether a new number is reported even if the last report was just made.
    mutating func reportsProgress(_ bytes: Int64, now: UInt64, isForced: Bool = true) -> Bool {
        guard bytes != reportedBytes, isForced || now >= lastProgress + progressInterval else { return false }
        (lastProgress, reportedBytes) = (now, bytes)
        return true
    }

    /// Whether so many bytes that are not durable are reason enough to make them so.
    func wantsCheckpoint(of unsynced: Int64, now: UInt64) -> Bool {
        unsynced >= checkpointBytes || unsynced > 0 && wantsCheckpoint(now: now)
    }

    /// Whether the last checkpoint was long enough ago.
    func wantsCheckpoint(now: UInt64) -> Bool { now - min(lastCheckpoint, now) >= checkpointInterval }

    /// Counts from `now` on to the next checkpoint.
    mutating func checkpoint(now: UInt64) { lastCheckpoint = now }

    /// Bytes start at 0 again: any number of them is news.
    mutating func restart() { reportedBytes = nil }
}
