// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// Sums over all transfers that are not over, kept as they come, change and go.
struct QueueTotals: Sendable {
    private(set) var discretionaryCount = 0
    /// Wide enough for any number of the largest sizes, so that what is added can be taken away again.
    private(set) var discretionaryBytes: Int128 = 0

    mutating func add(_ entry: borrowing TransferEntry) {
        guard entry.traits.kind == .discretionary else { return }
        discretionaryCount += 1
        discretionaryBytes += Int128(entry.bytesRemaining ?? 0)
    }

    mutating func remove(_ entry: borrowing TransferEntry) {
        guard entry.traits.kind == .discretionary else { return }
        discretionaryCount -= 1
        discretionaryBytes -= Int128(entry.bytesRemaining ?? 0)
    }
}
