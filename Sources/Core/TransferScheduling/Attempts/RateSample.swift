// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The rate that one progress report of an attempt shows.
struct RateSample: Sendable {
    private let bytesPerSecond: Double

    /// Creates a sample from the new bytes in a time span; `nil` if no bytes arrived or no time passed.
    init?(of bytes: Int64, in elapsed: Duration) {
        let nanoseconds = elapsed.wholeNanoseconds
        guard nanoseconds > 0, bytes > 0 else { return nil }
        bytesPerSecond = Double(bytes) / (Double(nanoseconds) / 1e9)
    }

    /// Returns a known rate smoothed with this sample, in bytes per second; the sample itself if no rate is known.
    func smoothing(_ rate: Int64?) -> Int64 {
        // Each sample has a weight of one quarter: steady enough to read, fast enough to follow a changing link.
        Int64(min(rate.map { Double($0) * 0.75 + bytesPerSecond * 0.25 } ?? bytesPerSecond, 1e15))
    }
}
