// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The transfers with an attempt, in the order of their starts, each under a number that stays while the attempt lasts.
///
/// Most start, run and finish without anything special to say of them: these are kept as the queue handed them out, and
/// made whole when somebody asks for more, since to put a transfer's traits together costs more than all else that a
/// start and an end do. What has ended stays in its place until that is used again.
struct ActiveTransfers: ~Copyable, Sendable {
    private var places = Slab<ActivePlace>()
    private var wholes = Slab<ActiveTransfer>()
    /// By id.
    private var index = IDIndex()
    /// The one that started first; none where there is none.
    private(set) var first = Int32.nowhere
    private var last = Int32.nowhere
    private var highestID = Int64.min
    /// When time alone may stop one of them, at the earliest, as of ``updateLook()``.
    private(set) var look: Instant?
    /// When an attempt that used the network last began or ended.
    private(set) var lastActivity: Instant?
    private let leastProgress: Int64

    /// - Parameter leastProgress: fewer new bytes than this in an attempt are no progress.
    init(leastProgress: Int64) { self.leastProgress = leastProgress }

    var count: Int { places.count }
    var isEmpty: Bool { places.count == 0 }

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
        return index.find(id.rawValue)
    }

    /// A transfer as the queue handed it out, and when its attempt began; nil where it is whole.
    @inline(__always)
    func plain(_ number: Int32) -> (transfer: PlainRecord, since: Moment)? {
        let place = places[number]
        guard place.pointee.whole == Int32.nowhere, let plain = place.pointee.plain else { return nil }
        return (plain, place.pointee.since)
    }

    func id(_ number: Int32) -> TransferID { places[number].pointee.id }

    /// Whether ageing gave it its turn.
    func isSheltered(_ number: Int32) -> Bool { places[number].pointee.isSheltered }

    /// Calls `body` with each, all of them being whole: as they are where the policy or ranks ask about what runs.
    func forEach(_ body: (Int32, borrowing ActiveTransfer) -> Void) {
        var number = first
        while number != Int32.nowhere {
            body(number, self[number])
            number = next(after: number)
        }
    }

    /// Finds ``look`` anew. No plain one is stopped by time.
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

    /// How many use the network: servers of this machine wake no radio.
    var networkCount: Int {
        var count = 0
        forEach { if !$1.entry.traits.isLoopback { count += 1 } }
        return count
    }

    /// The apps whose transfers these are, in order.
    var apps: [String] {
        var apps: Set<String> = []
        forEach { apps.insert($1.entry.traits.app) }
        return apps.sorted()
    }

    // MARK: Making plain ones whole

    /// A transfer, made whole.
    func whole(_ number: Int32, from queue: borrowing some WaitingQueue & ~Copyable) -> ActiveTransfer {
        guard let (plain, since) = plain(number) else { return self[number] }
        return ActiveTransfer(
            id: id(number), entry: queue.entry(of: plain), since: since, leastProgress: leastProgress)
    }

    /// Makes a transfer whole in its place.
    // The queue is marked `inout` to avoid a copy; does not change its value.
    mutating func makeWhole(_ number: Int32, from queue: inout some WaitingQueue & ~Copyable) {
        guard plain(number) != nil else { return }
        places[number].pointee.whole = wholes.take(whole(number, from: queue))
    }

    /// Makes all whole.
    mutating func makeWhole(from queue: inout some WaitingQueue & ~Copyable) {
        var number = first
        while number != Int32.nowhere {
            makeWhole(number, from: &queue)
            number = next(after: number)
        }
    }

    // MARK: Coming and going

    /// Adds one whose attempt begins, as the queue handed it out.
    mutating func append(_ id: TransferID, _ plain: PlainRecord, isSheltered: Bool, at now: Moment) {
        link(ActivePlace(id: id, plain: plain, since: now, isSheltered: isSheltered, previous: last))
        if !plain.isLoopback { lastActivity = now.instant }
    }

    /// Adds one, and begins its attempt.
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

    /// Takes one out; its number may be another's from then on.
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

/// What is kept of each, plain or whole.
struct ActivePlace: Sendable {
    let id: TransferID
    /// As the queue handed it out; means nothing once it is whole, and nil where it always was.
    let plain: PlainRecord?
    /// When a plain one began.
    let since: Moment
    let isSheltered: Bool
    /// Its number among the whole ones; none while it is plain.
    var whole = Int32.nowhere
    var previous: Int32
    var next = Int32.nowhere
}
