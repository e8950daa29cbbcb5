// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferQueue

/// Sums over all transfers that are not over, kept as they come, change and go.
struct QueueTotals: Sendable {
    private(set) var discretionaryCount = 0
    /// Wide enough for any number of the largest sizes, so that what is added can be taken away again.
    private(set) var discretionaryBytes: Int128 = 0
    /// The earliest deadline of discretionary work, while it is known.
    private(set) var firstDeadline: WallTime?
    /// Whether it is: not once the transfer that had it has gone, until all were looked at.
    var isFirstDeadlineKnown = true

    /// Adds a transfer of that kind with so many bytes to come; nil where nobody knows.
    mutating func add(_ kind: WorkKind, bytes: Int64?, deadline: WallTime?) {
        guard kind == .discretionary else { return }
        discretionaryCount += 1
        discretionaryBytes += Int128(bytes ?? 0)
        note(kind, deadline: deadline)
    }

    mutating func remove(_ entry: borrowing TransferEntry) {
        remove(entry.traits.kind, bytes: entry.bytesRemaining, deadline: entry.traits.constraints.deadline?.date)
    }

    mutating func remove(_ kind: WorkKind, bytes: Int64?, deadline: WallTime?) {
        guard kind == .discretionary else { return }
        discretionaryCount -= 1
        discretionaryBytes -= Int128(bytes ?? 0)
        guard let first = firstDeadline, deadline == first else { return }
        isFirstDeadlineKnown = false
        firstDeadline = nil
    }

    /// Of a transfer other bytes are missing now; its deadline is what it was.
    mutating func update(from before: borrowing TransferEntry, to after: borrowing TransferEntry) {
        guard after.traits.kind == .discretionary else { return }
        discretionaryBytes += Int128(after.bytesRemaining ?? 0) - Int128(before.bytesRemaining ?? 0)
    }

    /// Takes a transfer's deadline into account.
    mutating func note(_ entry: borrowing TransferEntry) {
        note(entry.traits.kind, deadline: entry.traits.constraints.deadline?.date)
    }

    private mutating func note(_ kind: WorkKind, deadline: WallTime?) {
        guard kind == .discretionary, let date = deadline else { return }
        firstDeadline = min(firstDeadline ?? date, date)
    }
}
