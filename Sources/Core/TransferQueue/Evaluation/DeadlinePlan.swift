// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
package import TransferPolicy

/// The inputs of all estimates: the rate of the connection, and the backlog of work with deadlines.
///
/// A plan stays the same until the scheduler replaces it. Meanwhile, the estimate of a waiting transfer is constant, so
/// that the queue can keep the date at which the transfer must start.
package struct DeadlinePlan: Hashable, Sendable {
    /// The bytes of all transfers whose deadlines come before the next mark.
    package struct Mark: Hashable, Sendable {
        /// The date of the first deadline that the mark includes, in nanoseconds since the epoch.
        let start: Int64
        let bytes: Int64

        package init(start: Int64, bytes: Int64) { (self.start, self.bytes) = (start, bytes) }
    }

    /// The rate of the connection in bytes per second.
    package var rate = TransferEstimate.assumedRate
    package var rateBasis = TransferEstimate.RateBasis.assumed
    /// The backlog, in order of the dates. The bytes grow from mark to mark.
    package var marks: [Mark] = []

    /// A Boolean value that indicates whether time is reserved before deadlines.
    private let isKept: Bool

    /// - Parameter isKept: A Boolean value that indicates whether time is reserved before deadlines.
    package init(isKept: Bool) { self.isKept = isKept }

    /// Returns the bytes of all work with the same or an earlier deadline, except the transfer's `own` bytes.
    private func backlog(before deadline: WallTime, without own: Int64) -> Int64 {
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].start <= deadline.nanosecondsSinceEpoch { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? max(0, marks[low - 1].bytes - own) : 0
    }

    /// Returns the estimate of a transfer.
    ///
    /// - Parameters:
    ///   - bytes: The missing bytes; `nil` if the size is unknown.
    ///   - isCounted: A Boolean value that indicates whether the backlog includes the transfer.
    ///   - ownRate: The transfer's own rate in bytes per second; `nil` if the transfer has not run.
    ///   - limit: The transfer's own limit on the rate; `nil` if there is none.
    private func estimate(
        bytes: Int64?, _ sizeBasis: TransferEstimate.SizeBasis, isCounted: Bool, ownRate: Int64?, limit: Int64?,
        before deadline: WallTime
    ) -> TransferEstimate {
        let missing = bytes ?? TransferEstimate.assumedBytes
        let backlogRate = rate
        var (rate, basis) = ownRate.map { ($0, TransferEstimate.RateBasis.transfer) } ?? (rate, rateBasis)
        if let limit, limit < rate { (rate, basis) = (limit, .limit) }
        return TransferEstimate(
            bytes: missing, sizeBasis: bytes == nil ? .assumed : sizeBasis, rate: rate, rateBasis: basis,
            backlog: backlog(before: deadline, without: isCounted ? missing : 0), backlogRate: backlogRate)
    }
}

extension TransferEntry {
    /// The number of bytes to receive or to send that are still missing, or `nil` if the number is unknown.
    package var bytesMissing: Int64? {
        bytesRemaining ?? traits.expectedBytesToSend.map { max(0, $0.addingSaturating(-max(0, bytes))) }
    }
}

extension DeadlinePlan {
    /// Returns a transfer from a policy's point of view, with the estimate if the transfer has a deadline.
    func subject(of entry: borrowing TransferEntry) -> PolicySubject {
        var subject = entry.subject
        subject.estimate = reservation(for: entry)
        return subject
    }

    /// Returns a new transfer from a policy's point of view, with the estimate if the transfer has a deadline.
    func subject(ofNew traits: borrowing TransferTraits) -> PolicySubject {
        var subject = PolicySubject(traits: copy traits, bytesTotal: traits.expectedBytesToReceive)
        if traits.kind == .discretionary, isKept { subject.estimate = estimate(ofNew: traits) }
        return subject
    }

    /// Returns the estimate of a new transfer; `nil` if the transfer has no deadline.
    private func estimate(ofNew traits: borrowing TransferTraits) -> TransferEstimate? {
        guard let deadline = traits.constraints.deadline?.date else { return nil }
        return estimate(
            bytes: (traits.expectedBytesToReceive ?? traits.expectedBytesToSend).map { max(0, $0) }, .expected,
            isCounted: traits.kind == .discretionary, ownRate: nil, limit: traits.rateLimit, before: deadline)
    }

    /// Returns the estimate by which time is reserved for a transfer; `nil` if no time is reserved.
    package func reservation(for entry: borrowing TransferEntry) -> TransferEstimate? {
        entry.traits.kind == .discretionary && isKept ? estimate(of: entry) : nil
    }

    /// Returns the estimate of a transfer; `nil` if the transfer has no deadline.
    package func estimate(of entry: borrowing TransferEntry) -> TransferEstimate? {
        guard let deadline = entry.traits.constraints.deadline?.date else { return nil }
        return estimate(
            bytes: entry.bytesMissing, entry.total == nil ? .expected : .reported,
            isCounted: entry.traits.kind == .discretionary, ownRate: entry.rate, limit: entry.traits.rateLimit,
            before: deadline)
    }

    /// Adopts the rate of the current connection if it differs by more than a quarter; returns whether it does.
    ///
    /// - Parameter limit: The limit on the rate of all transfers; `nil` if there is none.
    package mutating func updateRate(in context: borrowing PolicyContext, limit: Int64?) -> Bool {
        guard let (rate, basis) = newRate(in: context, limit: limit) else { return false }
        (self.rate, rateBasis) = (rate, basis)
        return true
    }

    /// Returns the rate of the current connection if it differs by more than a quarter. Returns `nil` without a
    /// network, which says nothing about the next connection.
    package func newRate(
        in context: borrowing PolicyContext, limit: Int64?
    ) -> (rate: Int64, basis: TransferEstimate.RateBasis)? {
        guard context.conditions.network.value.isUsable else { return nil }
        let measured = context.history.throughput.rate(on: context.conditions.throughputKey)
        var current = measured ?? TransferEstimate.assumedRate
        var basis = measured == nil ? TransferEstimate.RateBasis.assumed : .connection
        if let limit, limit < current { (current, basis) = (max(1, limit), .limit) }
        let isOther =
            basis != rateBasis || current > rate.addingSaturating(rate / 4) || current < rate - rate / 4
        return isOther ? (current, basis) : nil
    }
}
