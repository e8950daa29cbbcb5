// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The transfers with an attempt, in order of their starts. Each transfer has an index that is stable while the attempt
/// lasts.
struct ActiveTransfers: ~Copyable, Sendable {
    private var transfers = Slab<ActiveTransfer>()
    /// The indexes of the transfers, by ID.
    private var index = IDIndex()
    /// The index of the transfer that started first; `Int32.noIndex` if there is none.
    private(set) var first = Int32.noIndex
    private var last = Int32.noIndex
    private var highestID = Int64.min
    /// The earliest time at which an attempt may have to stop without any event, as of ``updateReevaluation()``.
    private(set) var reevaluation: Instant?
    private let leastProgress: Int64

    /// - Parameter leastProgress: The number of new bytes that an attempt needs to count as progress.
    init(leastProgress: Int64) { self.leastProgress = leastProgress }

    var count: Int { transfers.count }
    var isEmpty: Bool { transfers.count == 0 }

    /// Returns the index of the transfer that started next; `Int32.noIndex` after the last transfer.
    func next(after number: Int32) -> Int32 { transfers[number].pointee.next }

    /// Accesses a transfer by index.
    subscript(number: Int32) -> ActiveTransfer {
        _read { yield transfers[number].pointee }
        _modify { yield &transfers[number].pointee }
    }

    /// Returns the index of a transfer; `nil` if the transfer has no attempt.
    // Inlined, because a caller that mutates the enclosing value would otherwise call this method on a copy.
    @inline(__always)
    func number(of id: TransferID) -> Int32? {
        // Ids are ascending, so an id above the highest one needs no search.
        guard id.rawValue <= highestID else { return nil }
        return index.find(id.rawValue)
    }

    /// Calls `body` with a pointer to each transfer, which avoids copies.
    func forEach(_ body: (Int32, UnsafeMutablePointer<ActiveTransfer>) -> Void) {
        var number = first
        while number != Int32.noIndex {
            body(number, transfers[number])
            number = next(after: number)
        }
    }

    /// Recomputes ``reevaluation``.
    mutating func updateReevaluation() {
        var first: Instant?
        forEach { first = Verdict.earlier(first, $1.pointee.reevaluation) }
        reevaluation = first
    }

    /// Adds a transfer and begins its attempt.
    mutating func append(
        _ id: TransferID, _ entry: consuming TransferEntry, isNonPreemptible: Bool, _ evaluator: PolicyEvaluator,
        at now: ClockReading
    ) {
        var transfer = ActiveTransfer(id: id, entry: entry, isNonPreemptible: isNonPreemptible, previous: last)
        transfer.begin(evaluator, leastProgress: leastProgress, at: now)
        let number = transfers.insert(transfer)
        if last == Int32.noIndex { first = number } else { transfers[last].pointee.next = number }
        last = number
        highestID = max(highestID, id.rawValue)
        index.insert(id.rawValue, number)
    }

    /// Removes a transfer and returns its entry. The index may be reused afterward.
    mutating func remove(_ number: Int32) -> TransferEntry {
        // Moved, because a copy would cost as much as the rest.
        let transfer = transfers.remove(number)
        if transfer.previous == Int32.noIndex {
            first = transfer.next
        } else {
            transfers[transfer.previous].pointee.next = transfer.next
        }
        if transfer.next == Int32.noIndex {
            last = transfer.previous
        } else {
            transfers[transfer.next].pointee.previous = transfer.previous
        }
        index.remove(transfer.id.rawValue)
        return transfer.entry
    }
}
