// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The transfers with an attempt, in order of their starts. Each transfer has a number that is stable while the
/// attempt lasts.
///
/// Most transfers start, run and finish without special treatment. These transfers stay plain records, as the queue
/// returned them. A plain record becomes a whole transfer on demand, because assembling the traits costs more than
/// the rest of a start and an end together. The slot of an ended transfer stays allocated until its next use.
struct ActiveTransfers: ~Copyable, Sendable {
    private var places = Slab<ActivePlace>()
    private var wholes = Slab<ActiveTransfer>()
    /// The numbers of the transfers, by id.
    private var index = IDIndex()
    /// The number of the transfer that started first; `Int32.nowhere` if there is none.
    private(set) var first = Int32.nowhere
    private var last = Int32.nowhere
    private var highestID = Int64.min
    /// The earliest time at which an attempt may have to stop without any event, as of ``updateLook()``.
    private(set) var look: Instant?
    /// The last time at which an attempt that used the network began or ended.
    private(set) var lastActivity: Instant?
    private let leastProgress: Int64

    /// - Parameter leastProgress: the number of new bytes that an attempt needs to count as progress.
    init(leastProgress: Int64) { self.leastProgress = leastProgress }

    var count: Int { places.count }
    var isEmpty: Bool { places.count == 0 }

    /// Returns the number of the transfer that started next; `Int32.nowhere` after the last transfer.
    func next(after number: Int32) -> Int32 { places[number].pointee.next }

    /// Accesses a whole transfer by number.
    subscript(number: Int32) -> ActiveTransfer {
        _read { yield wholes[places[number].pointee.whole].pointee }
        _modify { yield &wholes[places[number].pointee.whole].pointee }
    }

    /// Returns the number of a transfer; `nil` if the transfer has no attempt.
    // Inlined, because a caller that mutates the enclosing value would otherwise call this method on a copy.
    @inline(__always)
    func number(of id: TransferID) -> Int32? {
        // Ids are ascending, so an id above the highest one needs no search.
        guard id.rawValue <= highestID else { return nil }
        return index.find(id.rawValue)
    }

    /// Returns a transfer's plain record and the start of its attempt; `nil` if the transfer is whole.
    @inline(__always)
    func plain(_ number: Int32) -> (transfer: PlainRecord, since: Moment)? {
        let place = places[number]
        guard place.pointee.whole == Int32.nowhere, let plain = place.pointee.plain else { return nil }
        return (plain, place.pointee.since)
    }

    func id(_ number: Int32) -> TransferID { places[number].pointee.id }

    /// Returns whether the transfer's start was granted by aging, which makes the transfer non-preemptible.
    func isSheltered(_ number: Int32) -> Bool { places[number].pointee.isSheltered }

    /// Calls `body` with each transfer. All transfers must be whole, as they are if the policy or ranks consider
    /// running work.
    func forEach(_ body: (Int32, borrowing ActiveTransfer) -> Void) {
        var number = first
        while number != Int32.nowhere {
            body(number, self[number])
            number = next(after: number)
        }
    }

    /// Recomputes ``look``. Time never stops a plain transfer.
    mutating func updateLook() {
        look = nil
        guard wholes.count > 0 else { return }
        var number = first
        while number != Int32.nowhere {
            let whole = places[number].pointee.whole
            if whole != Int32.nowhere { look = Verdict.earlier(look, wholes[whole].pointee.look) }
            number = places[number].pointee.next
        }
    }

    /// The number of transfers that use the network. Loopback transfers do not count, because they wake no radio.
    var networkCount: Int {
        var count = 0
        forEach { if !$1.entry.traits.isLoopback { count += 1 } }
        return count
    }

    /// The apps of these transfers, in order.
    var apps: [String] {
        var apps: Set<String> = []
        forEach { apps.insert($1.entry.traits.app) }
        return apps.sorted()
    }

    // MARK: Making plain transfers whole

    /// Returns the full form of a transfer, expanding a compact record. Does not store the result.
    func whole(_ number: Int32, from queue: borrowing some WaitingQueue & ~Copyable) -> ActiveTransfer {
        guard let (plain, since) = plain(number) else { return self[number] }
        return ActiveTransfer(
            id: id(number), entry: queue.entry(of: plain), since: since, leastProgress: leastProgress)
    }

    /// Stores a transfer as a whole transfer, if it is plain.
    // The queue is marked `inout` to avoid a copy; does not change its value.
    mutating func makeWhole(_ number: Int32, from queue: inout some WaitingQueue & ~Copyable) {
        guard plain(number) != nil else { return }
        places[number].pointee.whole = wholes.take(whole(number, from: queue))
    }

    /// Stores all transfers as whole transfers.
    mutating func makeWhole(from queue: inout some WaitingQueue & ~Copyable) {
        var number = first
        while number != Int32.nowhere {
            makeWhole(number, from: &queue)
            number = next(after: number)
        }
    }

    // MARK: Adding and removing

    /// Adds a plain transfer whose attempt begins.
    mutating func append(_ id: TransferID, _ plain: PlainRecord, isSheltered: Bool, at now: Moment) {
        link(ActivePlace(id: id, plain: plain, since: now, isSheltered: isSheltered, previous: last))
        if !plain.isLoopback { lastActivity = now.instant }
    }

    /// Adds a whole transfer and begins its attempt.
    mutating func append(
        _ id: TransferID, _ entry: consuming TransferEntry, isSheltered: Bool, _ assessment: Assessment, at now: Moment
    ) {
        var transfer = ActiveTransfer(id: id, entry: entry)
        transfer.begin(assessment, leastProgress: leastProgress, at: now)
        var place = ActivePlace(id: id, plain: nil, since: now, isSheltered: isSheltered, previous: last)
        if !transfer.entry.traits.isLoopback { lastActivity = now.instant }
        place.whole = wholes.take(transfer)
        link(place)
    }

    private mutating func link(_ place: consuming ActivePlace) {
        let id = place.id
        let number = places.take(place)
        if last == Int32.nowhere { first = number } else { places[last].pointee.next = number }
        last = number
        highestID = max(highestID, id.rawValue)
        index.insert(id.rawValue, number)
    }

    /// Removes a transfer. Its number may be reused afterwards.
    mutating func remove(_ number: Int32, at now: Moment) {
        let place = places[number]
        if !(plain(number)?.transfer.isLoopback ?? self[number].entry.traits.isLoopback) { lastActivity = now.instant }
        let (previous, next) = (place.pointee.previous, place.pointee.next)
        if previous == Int32.nowhere { first = next } else { places[previous].pointee.next = next }
        if next == Int32.nowhere { last = previous } else { places[next].pointee.previous = previous }
        index.remove(place.pointee.id.rawValue)
        if place.pointee.whole != Int32.nowhere { wholes.release(place.pointee.whole) }
        places.release(number)
    }
}

/// The record of an active transfer, plain or whole.
struct ActivePlace: Sendable {
    let id: TransferID
    /// The plain record that the queue returned. Meaningless after the transfer becomes whole; `nil` if it was never
    /// plain.
    let plain: PlainRecord?
    /// The time at which the attempt of a plain transfer began.
    let since: Moment
    let isSheltered: Bool
    /// The index into the whole transfers; `Int32.nowhere` while the transfer is plain.
    var whole = Int32.nowhere
    var previous: Int32
    var next = Int32.nowhere
}
