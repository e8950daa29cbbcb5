// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

/// The missing bytes of all discretionary transfers with a deadline, summed up by deadline in steps of five minutes.
///
/// An unknown size counts as ``TransferPolicy/TransferEstimate/assumedBytes``.
struct DeadlineBacklog: Sendable {
    private struct Step: Sendable {
        var bytes: Int128 = 0
        var count = 0
    }

    private static let length: Int64 = 300_000_000_000
    /// The number of transfers up to which each change of the backlog is worth a new plan.
    private static let small = 8

    private var steps: [Int64: Step] = [:]
    private var bytes: Int128 = 0
    /// The number of transfers.
    private(set) var count = 0
    /// The most bytes by which the backlog before any deadline may have grown since the last plan.
    private var growth: Int128 = 0
    /// The bytes and the number of transfers at the last plan.
    private var planned: (bytes: Int128, count: Int) = (0, 0)
    /// A Boolean value that indicates whether transfers were added or removed since the last plan.
    private var hasChanged = false
    /// A Boolean value that indicates whether the bytes of a transfer have changed since the last plan.
    private var hasProgressed = false

    /// Adds the missing bytes of a transfer. Only a discretionary transfer with a deadline counts.
    mutating func add(_ bytes: Int64?, _ kind: WorkKind, deadline: WallTime?) {
        if kind == .discretionary, let deadline { change(1, Self.value(bytes), deadline) }
    }

    mutating func remove(_ bytes: Int64?, _ kind: WorkKind, deadline: WallTime?) {
        if kind == .discretionary, let deadline { change(-1, -Self.value(bytes), deadline) }
    }

    mutating func remove(_ entry: borrowing TransferEntry) {
        remove(entry.bytesMissing, entry.traits.kind, deadline: entry.traits.constraints.deadline?.date)
    }

    /// Updates the missing bytes of a transfer. Its deadline must be unchanged.
    mutating func update(from before: Int64?, to entry: borrowing TransferEntry) {
        guard entry.traits.kind == .discretionary, let deadline = entry.traits.constraints.deadline?.date
        else { return }
        let difference = Self.value(entry.bytesMissing) - Self.value(before)
        guard difference != 0 else { return }
        hasProgressed = true
        bytes += difference
        growth += max(0, difference)
        steps[Self.step(deadline), default: Step()].bytes += difference
    }

    /// Includes progress in the next plan.
    ///
    /// Progress alone does not call for a plan. But a transfer that waits again would count its own progress as work
    /// before it.
    mutating func settle() { if hasProgressed { hasChanged = true } }

    private mutating func change(_ number: Int, _ difference: Int128, _ deadline: WallTime) {
        bytes += difference
        growth += max(0, difference)
        count += number
        hasChanged = true
        let key = Self.step(deadline)
        var step = steps[key] ?? Step()
        step.bytes += difference
        step.count += number
        steps[key] = step.count > 0 ? step : nil
    }

    /// Returns the marks of a new plan, and the most bytes by which the backlog before any deadline has grown since the
    /// last plan. Returns `nil` if the backlog has not changed enough.
    ///
    /// While there are many transfers, only a change of an eighth counts. Otherwise, each new transfer would cost a
    /// step for every other transfer.
    mutating func newMarks() -> (marks: [DeadlinePlan.Mark], growth: Int64)? {
        guard hasChanged, count <= Self.small || hasGrown else { return nil }
        defer { growth = 0 }
        (hasChanged, hasProgressed) = (false, false)
        planned = (bytes, count)
        var sum: Int128 = 0
        let marks = steps.keys.sorted().map { key in
            sum += max(0, steps[key]?.bytes ?? 0)
            return DeadlinePlan.Mark(start: key.multipliedSaturating(by: Self.length), bytes: Int64(clamping: sum))
        }
        return (marks, Int64(clamping: growth))
    }

    private var hasGrown: Bool {
        (count - planned.count).magnitude >= max(1, planned.count / 8).magnitude
            || (bytes - planned.bytes).magnitude > planned.bytes.magnitude / 8
    }

    private static func value(_ bytes: Int64?) -> Int128 { Int128(bytes ?? TransferEstimate.assumedBytes) }

    private static func step(_ deadline: WallTime) -> Int64 {
        let date = deadline.nanosecondsSinceEpoch
        return date >= 0 ? date / length : (date + 1) / length - 1
    }
}
