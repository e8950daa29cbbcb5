// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The transfers with an attempt, in the order of their starts, each under a number that stays while the attempt lasts.
///
/// Most start, run and finish without anything special to say of them: these are kept as the queue handed them out, and
/// made whole when somebody asks for more, since to put a transfer's traits together costs more than all else that a
/// start and an end do. What has ended stays in its place until that is used again.
struct ActiveTransfers<Plain: PlainTransfer>: ~Copyable, Sendable {
    private var places = Pages<ActivePlace<Plain>>()
    private var wholes = Pages<ActiveTransfer>()
    /// By id.
    private var index = NumberIndex()
    /// The one that started first; none where there is none.
    private(set) var first = TransferRecord.none
    private var last = TransferRecord.none
    private var highestID = Int64.min

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }

    /// The one that started next; none after the last.
    func next(after number: Int32) -> Int32 { places[number].pointee.next }

    /// A whole transfer.
    subscript(number: Int32) -> ActiveTransfer {
        _read { yield wholes[places[number].pointee.whole].pointee }
        _modify { yield &wholes[places[number].pointee.whole].pointee }
    }

    /// The number of a transfer; nil where it has no attempt.
    // In line, as whoever changes what this is part of would ask a copy.
    @inline(__always)
    func number(of id: TransferID) -> Int32? {
        // Ids come in order: a new one need not be looked for.
        guard id.rawValue <= highestID else { return nil }
        return index.find(UInt64(bitPattern: id.rawValue)) { places[$0].pointee.id == id }
    }

    /// A transfer as the queue handed it out, and when its attempt began; nil where it is whole.
    @inline(__always)
    func plain(_ number: Int32) -> (transfer: Plain, since: Moment)? {
        let place = places[number]
        guard place.pointee.whole == TransferRecord.none, let plain = place.pointee.plain else { return nil }
        return (plain, place.pointee.since)
    }

    func id(_ number: Int32) -> TransferID { places[number].pointee.id }

    /// Whether ageing gave it its turn.
    func isSheltered(_ number: Int32) -> Bool { places[number].pointee.isSheltered }

    /// When time alone may stop one of them, at the earliest. No plain one is stopped so.
    var look: Instant? {
        // Changes nothing, but it would be asked of a copy else.
        mutating get {
            guard !wholes.isEmpty else { return nil }
            var earliest: Instant?
            var number = first
            while number != TransferRecord.none {
                let whole = places[number].pointee.whole
                if whole != TransferRecord.none { earliest = Verdict.earlier(earliest, wholes[whole].pointee.look) }
                number = places[number].pointee.next
            }
            return earliest
        }
    }

    /// Calls `body` with each, all of them being whole: as they are where the policy or ranks ask about what runs.
    func forEach(_ body: (Int32, borrowing ActiveTransfer) -> Void) {
        var number = first
        while number != TransferRecord.none {
            body(number, self[number])
            number = next(after: number)
        }
    }

    /// Adds one whose attempt begins, as the queue handed it out.
    mutating func append(_ id: TransferID, _ plain: Plain, isSheltered: Bool, at now: Moment) {
        link(ActivePlace(id: id, plain: plain, since: now, isSheltered: isSheltered, previous: last))
    }

    /// Adds one whose attempt begins.
    mutating func append(_ transfer: consuming ActiveTransfer, isSheltered: Bool, at now: Moment) {
        var place = ActivePlace<Plain>(
            id: transfer.id, plain: nil, since: now, isSheltered: isSheltered, previous: last)
        place.whole = wholes.take(transfer)
        link(place)
    }

    private mutating func link(_ place: consuming ActivePlace<Plain>) {
        let id = place.id
        let number = places.take(place)
        if last == TransferRecord.none { first = number } else { places[last].pointee.next = number }
        last = number
        highestID = max(highestID, id.rawValue)
        index.insert(UInt64(bitPattern: id.rawValue), number) { UInt64(bitPattern: places[$0].pointee.id.rawValue) }
    }

    /// Puts the whole of a plain one in its place.
    mutating func replace(_ number: Int32, by whole: consuming ActiveTransfer) {
        places[number].pointee.whole = wholes.take(whole)
    }

    /// Takes one out; its number may be another's from then on.
    mutating func remove(_ number: Int32) {
        let place = places[number]
        let (previous, next) = (place.pointee.previous, place.pointee.next)
        if previous == TransferRecord.none { first = next } else { places[previous].pointee.next = next }
        if next == TransferRecord.none { last = previous } else { places[next].pointee.previous = previous }
        index.remove(UInt64(bitPattern: place.pointee.id.rawValue), number) {
            UInt64(bitPattern: places[$0].pointee.id.rawValue)
        }
        if place.pointee.whole != TransferRecord.none { wholes.release(place.pointee.whole) }
        places.release(number)
    }
}

/// What is kept of each, plain or whole.
struct ActivePlace<Plain: PlainTransfer>: Sendable {
    let id: TransferID
    /// As the queue handed it out; means nothing once it is whole, and nil where it always was.
    let plain: Plain?
    /// When a plain one began.
    let since: Moment
    let isSheltered: Bool
    /// Its number among the whole ones; none while it is plain.
    var whole = TransferRecord.none
    var previous: Int32
    var next = TransferRecord.none
}

/// A transfer that runs as the queue handed it out: with no bytes, no failure and nothing else of its own yet, and which
/// time alone does not stop.
protocol PlainTransfer: Sendable {
    var kind: WorkKind { get }
    /// Whether its server is on this machine.
    var isLoopback: Bool { get }
    /// The size that is expected; nil where it is unknown.
    var bytesRemaining: Int64? { get }
    var deadline: WallTime? { get }
}
