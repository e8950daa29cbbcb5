// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The transfers with an attempt, in order of their starts. Each transfer has an index that is stable while the attempt
/// lasts.
///
/// Most transfers start, run and finish without special treatment. These transfers stay plain records, as the queue
/// returned them. A plain record becomes a whole transfer on demand, because assembling the traits costs more than
/// the rest of a start and an end together. The slot of an ended transfer stays allocated until its next use.
struct ActiveTransfers: ~Copyable, Sendable {
    private var records = Slab<ActiveRecord>()
    private var wholes = Slab<ActiveTransfer>()
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

    var count: Int { records.count }
    var isEmpty: Bool { records.count == 0 }

    /// Returns the index of the transfer that started next; `Int32.noIndex` after the last transfer.
    func next(after number: Int32) -> Int32 { records[number].pointee.next }

    /// Accesses a whole transfer by index.
    subscript(number: Int32) -> ActiveTransfer {
        _read { yield wholes[records[number].pointee.whole].pointee }
        _modify { yield &wholes[records[number].pointee.whole].pointee }
    }

    /// Returns the index of a transfer; `nil` if the transfer has no attempt.
    // Inlined, because a caller that mutates the enclosing value would otherwise call this method on a copy.
    @inline(__always)
    func number(of id: TransferID) -> Int32? {
        // Ids are ascending, so an id above the highest one needs no search.
        guard id.rawValue <= highestID else { return nil }
        return index.find(id.rawValue)
    }

    /// Returns a transfer's plain record and the start of its attempt; `nil` if the transfer is whole.
    @inline(__always)
    func plain(_ number: Int32) -> (transfer: PlainRecord, since: ClockReading)? {
        let record = records[number]
        guard record.pointee.whole == Int32.noIndex, let plain = record.pointee.plain else { return nil }
        return (plain, record.pointee.since)
    }

    func id(_ number: Int32) -> TransferID { records[number].pointee.id }

    /// Returns whether the transfer's start was granted by aging, which makes the transfer non-preemptible.
    func isNonPreemptible(_ number: Int32) -> Bool { records[number].pointee.isNonPreemptible }

    /// Calls `body` with a pointer to each transfer, which avoids copies. All transfers must be whole, as they are if
    /// the policy or ranks consider running work.
    func forEach(_ body: (Int32, UnsafeMutablePointer<ActiveTransfer>) -> Void) {
        var number = first
        while number != Int32.noIndex {
            body(number, wholes[records[number].pointee.whole])
            number = next(after: number)
        }
    }

    /// Recomputes ``reevaluation``. Time never stops a plain transfer.
    mutating func updateReevaluation() {
        reevaluation = nil
        guard wholes.count > 0 else { return }
        var number = first
        while number != Int32.noIndex {
            let whole = records[number].pointee.whole
            if whole != Int32.noIndex {
                reevaluation = Verdict.earlier(reevaluation, wholes[whole].pointee.reevaluation)
            }
            number = records[number].pointee.next
        }
    }

    // MARK: Making plain transfers whole

    /// Returns the full form of a transfer, expanding a compact record. Does not store the result.
    func whole(_ number: Int32, from queue: borrowing some WaitingQueue & ~Copyable) -> ActiveTransfer {
        guard let (plain, since) = plain(number) else { return self[number] }
        return ActiveTransfer(
            id: id(number), entry: queue.entry(of: plain), since: since, need: records[number].pointee.need,
            leastProgress: leastProgress)
    }

    /// Stores a transfer as a whole transfer, if it is plain.
    // The queue is marked `inout` to avoid a copy; does not change its value.
    mutating func makeWhole(_ number: Int32, from queue: inout some WaitingQueue & ~Copyable) {
        guard plain(number) != nil else { return }
        records[number].pointee.whole = wholes.insert(whole(number, from: queue))
    }

    /// Stores all transfers as whole transfers.
    mutating func makeWhole(from queue: inout some WaitingQueue & ~Copyable) {
        var number = first
        while number != Int32.noIndex {
            makeWhole(number, from: &queue)
            number = next(after: number)
        }
    }

    // MARK: Adding and removing

    /// Adds a plain transfer whose attempt begins.
    ///
    /// - Parameter need: The estimated need; `nil` without a deadline.
    mutating func append(
        _ id: TransferID, _ plain: PlainRecord, need: Duration?, isNonPreemptible: Bool, at now: ClockReading
    ) {
        var record = ActiveRecord(id: id, plain: plain, since: now, isNonPreemptible: isNonPreemptible, previous: last)
        record.need = need
        link(record)
    }

    /// Adds a whole transfer and begins its attempt.
    mutating func append(
        _ id: TransferID, _ entry: consuming TransferEntry, isNonPreemptible: Bool, _ evaluator: PolicyEvaluator,
        at now: ClockReading
    ) {
        var transfer = ActiveTransfer(id: id, entry: entry)
        transfer.begin(evaluator, leastProgress: leastProgress, at: now)
        var record = ActiveRecord(id: id, plain: nil, since: now, isNonPreemptible: isNonPreemptible, previous: last)
        record.whole = wholes.insert(transfer)
        link(record)
    }

    private mutating func link(_ record: consuming ActiveRecord) {
        let id = record.id
        let number = records.insert(record)
        if last == Int32.noIndex { first = number } else { records[last].pointee.next = number }
        last = number
        highestID = max(highestID, id.rawValue)
        index.insert(id.rawValue, number)
    }

    /// Removes a whole transfer and returns its entry. The index may be reused afterward.
    mutating func remove(_ number: Int32) -> TransferEntry {
        // Moved, because a copy would cost as much as the rest.
        let transfer = wholes.remove(records[number].pointee.whole)
        unlink(number)
        return transfer.entry
    }

    /// Removes the record of a transfer that is not whole, or no longer. Its index may be reused afterward.
    mutating func unlink(_ number: Int32) {
        let record = records[number]
        let (previous, next) = (record.pointee.previous, record.pointee.next)
        if previous == Int32.noIndex { first = next } else { records[previous].pointee.next = next }
        if next == Int32.noIndex { last = previous } else { records[next].pointee.previous = previous }
        index.remove(record.pointee.id.rawValue)
        records.release(number)
    }
}

/// The record of an active transfer, plain or whole.
struct ActiveRecord: Sendable {
    let id: TransferID
    /// The plain record that the queue returned. Meaningless after the transfer becomes whole; `nil` if it was never
    /// plain.
    let plain: PlainRecord?
    /// The time at which the attempt of a plain transfer began.
    let since: ClockReading
    let isNonPreemptible: Bool
    /// The estimated need of a plain transfer at its start; `nil` without a deadline.
    var need: Duration?
    /// The index into the whole transfers; `Int32.noIndex` while the transfer is plain.
    var whole = Int32.noIndex
    var previous: Int32
    var next = Int32.noIndex
}
