// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferQueue

/// Running totals of all unfinished discretionary transfers, updated as transfers are added, changed and removed.
struct QueueTotals: Sendable {
    private(set) var discretionaryCount = 0
    /// 128 bits wide, so that sums of the largest sizes do not overflow and can be subtracted again.
    private(set) var discretionaryBytes: Int128 = 0
    /// The earliest deadline of discretionary work; `nil` if there is none or if it is unknown.
    private(set) var firstDeadline: WallTime?
    /// A Boolean value that indicates whether ``firstDeadline`` is known. Becomes `false` when the transfer with that
    /// deadline is removed, until all transfers are visited again.
    var isFirstDeadlineKnown = true
    /// The bytes of all transfers with a deadline, by deadline.
    private(set) var backlog = DeadlineBacklog()

    /// Adds a transfer of the given kind with its remaining bytes; `nil` if the number is unknown.
    ///
    /// - Parameter missing: The number of remaining bytes to receive or to send; `nil` if the number is unknown.
    mutating func add(_ kind: WorkKind, bytes: Int64?, missing: Int64?, deadline: WallTime?) {
        guard kind == .discretionary else { return }
        discretionaryCount += 1
        discretionaryBytes += Int128(bytes ?? 0)
        if let deadline { backlog.add(missing, deadline) }
        record(kind, deadline: deadline)
    }

    /// Includes progress in the next plan of the backlog.
    mutating func settleBacklog() { backlog.settle() }

    /// Returns the marks of a new plan and the growth of the backlog, or `nil` if it has not changed enough.
    mutating func newBacklogMarks() -> (marks: [DeadlinePlan.Mark], growth: Int64)? { backlog.newMarks() }

    mutating func remove(_ entry: borrowing TransferEntry) {
        remove(
            entry.traits.kind, bytes: entry.bytesRemaining, missing: entry.bytesMissing,
            deadline: entry.traits.constraints.deadline?.date)
    }

    mutating func remove(_ kind: WorkKind, bytes: Int64?, missing: Int64?, deadline: WallTime?) {
        guard kind == .discretionary else { return }
        discretionaryCount -= 1
        discretionaryBytes -= Int128(bytes ?? 0)
        if let deadline { backlog.remove(missing, deadline) }
        guard let first = firstDeadline, deadline == first else { return }
        isFirstDeadlineKnown = false
        firstDeadline = nil
    }

    /// Updates the remaining bytes of a transfer. Its deadline must be unchanged.
    mutating func update(from before: UnfinishedBytes, to after: borrowing TransferEntry) {
        guard after.traits.kind == .discretionary else { return }
        discretionaryBytes += Int128(after.bytesRemaining ?? 0) - Int128(before.remaining ?? 0)
        guard let deadline = after.traits.constraints.deadline?.date else { return }
        backlog.update(from: before.missing, to: after.bytesMissing, deadline)
    }

    /// Includes a transfer's deadline in ``firstDeadline``.
    mutating func record(_ entry: borrowing TransferEntry) {
        record(entry.traits.kind, deadline: entry.traits.constraints.deadline?.date)
    }

    private mutating func record(_ kind: WorkKind, deadline: WallTime?) {
        guard kind == .discretionary, let date = deadline else { return }
        firstDeadline = min(firstDeadline ?? date, date)
    }
}

/// The bytes of a transfer that are not there yet, as of one moment.
struct UnfinishedBytes {
    /// The number of bytes to receive; `nil` if the number is unknown.
    let remaining: Int64?
    /// The number of bytes to receive or to send; `nil` if the number is unknown.
    let missing: Int64?

    init(_ entry: borrowing TransferEntry) { (remaining, missing) = (entry.bytesRemaining, entry.bytesMissing) }
}
