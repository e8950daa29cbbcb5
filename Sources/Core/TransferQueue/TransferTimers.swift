// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The clock that a timer goes by.
enum Clock: Int, CaseIterable, Sendable {
    case boot
    case wall

    @inline(__always)
    func reading(of now: Moment) -> Int64 {
        switch self {
        case .boot: now.instant.nanoseconds
        case .wall: now.wall.nanosecondsSinceEpoch
        }
    }
}

/// The timers of waiting transfers: a heap for each requirement set and clock.
///
/// Apart by set, because a set of which nothing may run has no reason to wake anybody.
struct TransferTimers: Sendable {
    /// The number of timers.
    private(set) var count = 0
    /// By twice the set's number and the clock's.
    private var heaps: [IndexedHeap] = []
    /// No timer of a clock is due before.
    private var earliest: InlineArray<2, Int64> = [.max, .max]

    mutating func set(
        _ place: Int32, ofSet set: Int32, _ clock: Clock, due: Int64, _ records: borrowing Slab<TransferRecord>
    ) {
        let number = 2 * Int(set) + clock.rawValue
        while heaps.count <= number { heaps.append(IndexedHeap()) }
        records[place].pointee.due = due
        records[place].pointee.clock = clock
        heaps[number].insert(
            place, { records[$0].pointee.due < records[$1].pointee.due }, { records[$0].pointee.timer = $1 })
        count += 1
        earliest[clock.rawValue] = min(earliest[clock.rawValue], due)
    }

    /// Cancels a transfer's timer, if there is one.
    mutating func cancel(_ place: Int32, ofSet set: Int32, _ records: borrowing Slab<TransferRecord>) {
        let position = records[place].pointee.timer
        guard position != .nowhere else { return }
        heaps[2 * Int(set) + records[place].pointee.clock.rawValue].remove(
            at: position, { records[$0].pointee.due < records[$1].pointee.due }, { records[$0].pointee.timer = $1 })
        records[place].pointee.timer = .nowhere
        count -= 1
    }

    /// When the next timer of a set is due by a clock; nil if there is none.
    @inline(__always)
    func next(ofSet set: Int32, _ clock: Clock, _ records: borrowing Slab<TransferRecord>) -> Int64? {
        let number = 2 * Int(set) + clock.rawValue
        guard number < heaps.count, let first = heaps[number].first else { return nil }
        return records[first].pointee.due
    }

    /// Whether timers of a clock may be due.
    @inline(__always)
    func areDue(_ clock: Clock, at now: Moment) -> Bool { earliest[clock.rawValue] <= clock.reading(of: now) }

    /// Removes the timers of a clock that are due, and returns their transfers.
    mutating func removeDue(
        _ clock: Clock, at now: Moment, _ records: borrowing Slab<TransferRecord>
    ) -> [Int32] {
        let now = clock.reading(of: now)
        var due: [Int32] = []
        earliest[clock.rawValue] = .max
        for number in stride(from: clock.rawValue, to: heaps.count, by: 2) {
            while let first = heaps[number].first {
                guard records[first].pointee.due <= now else {
                    earliest[clock.rawValue] = min(earliest[clock.rawValue], records[first].pointee.due)
                    break
                }
                cancel(first, ofSet: Int32(number / 2), records)
                due.append(first)
            }
        }
        return due
    }
}
