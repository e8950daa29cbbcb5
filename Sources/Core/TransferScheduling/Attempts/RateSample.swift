// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The rate that one report of an attempt shows.
struct RateSample: Sendable {
    private let bytesPerSecond: Double

    /// The rate of so many new bytes in a time; nil if no byte came, or no time went by.
    init?(of bytes: Int64, in elapsed: Duration) {
        let nanoseconds = elapsed.wholeNanoseconds
        guard nanoseconds > 0, bytes > 0 else { return nil }
        bytesPerSecond = Double(bytes) / (Double(nanoseconds) / 1e9)
    }

    /// A known rate in bytes a second, with this one in it; this one if none is known.
    func smoothing(_ rate: Int64?) -> Int64 {
        // A quarter of each sample: steady enough to read, quick enough to follow a link that changes.
        Int64(min(rate.map { Double($0) * 0.75 + bytesPerSecond * 0.25 } ?? bytesPerSecond, 1e15))
    }
}
