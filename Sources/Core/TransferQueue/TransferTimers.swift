// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The clock of a timer.
enum Clock: Int, CaseIterable, Sendable {
    case boot
    case wall

    @inline(__always)
    func reading(of now: ClockReading) -> Int64 {
        switch self {
        case .boot: now.instant.nanoseconds
        case .wall: now.wall.nanosecondsSinceEpoch
        }
    }
}

/// The timers of waiting transfers, with a heap for each requirement set and clock.
///
/// Sets are separate, because a set that may not run has no reason to cause a wake-up.
struct TransferTimers: Sendable {
    /// The number of timers.
    private(set) var count = 0
    /// The heaps, at the index 2 × set number + raw value of the clock.
    private var heaps: [IndexedHeap<Int64>] = []
    /// The lower bound of the due times of each clock's timers.
    private var earliest: InlineArray<2, Int64> = [.max, .max]

    mutating func set(
        _ recordIndex: Int32, ofSet set: Int32, _ clock: Clock, due: Int64, _ records: borrowing Slab<TransferRecord>
    ) {
        let number = 2 * Int(set) + clock.rawValue
        while heaps.count <= number { heaps.append(IndexedHeap()) }
        records[recordIndex].pointee.clock = clock
        heaps[number].insert(recordIndex, due) { records[$0].pointee.timer = $1 }
        count += 1
        earliest[clock.rawValue] = min(earliest[clock.rawValue], due)
    }

    /// Cancels a transfer's timer, if there is one.
    mutating func cancel(_ recordIndex: Int32, ofSet set: Int32, _ records: borrowing Slab<TransferRecord>) {
        let position = records[recordIndex].pointee.timer
        guard position != .noIndex else { return }
        heaps[2 * Int(set) + records[recordIndex].pointee.clock.rawValue].remove(at: position) {
            records[$0].pointee.timer = $1
        }
        records[recordIndex].pointee.timer = .noIndex
        count -= 1
    }

    /// Returns the time at which a set's next timer is due by a clock; `nil` if there is no timer.
    @inline(__always)
    private func next(ofSet set: Int32, _ clock: Clock) -> Int64? {
        let number = 2 * Int(set) + clock.rawValue
        return number < heaps.count ? heaps[number].firstKey : nil
    }

    /// Returns the next time at which a timer is due in a requirement set that may run by then. If a set opens after
    /// its timer is due, the opening counts instead.
    func next(after openings: [Opening?], at now: ClockReading) -> Instant? {
        var (next, boot, wall): (Instant?, Int64, Int64) = (nil, .max, .max)
        for set in openings.indices {
            guard let opening = openings[set] else { continue }
            let nextBoot = self.next(ofSet: Int32(set), .boot)
            let nextWall = self.next(ofSet: Int32(set), .wall)
            if opening.isNow {
                (boot, wall) = (min(boot, nextBoot ?? .max), min(wall, nextWall ?? .max))
                continue
            }
            if let nextBoot {
                let both = Opening(boot: max(opening.boot, nextBoot), wall: opening.wall)
                next = Verdict.earlier(next, both.instant(at: now))
            }
            if let nextWall {
                let both = Opening(boot: opening.boot, wall: max(opening.wall, nextWall))
                next = Verdict.earlier(next, both.instant(at: now))
            }
        }
        if boot != .max { next = Verdict.earlier(next, Instant(nanoseconds: boot)) }
        return wall == .max ? next : Verdict.earlier(next, Opening(wall: wall).instant(at: now))
    }

    /// Returns whether timers of a clock may be due.
    @inline(__always)
    func areDue(_ clock: Clock, at now: ClockReading) -> Bool { earliest[clock.rawValue] <= clock.reading(of: now) }

    /// Removes the due timers of a clock and returns their transfers.
    mutating func removeDue(
        _ clock: Clock, at now: ClockReading, _ records: borrowing Slab<TransferRecord>
    ) -> [Int32] {
        let now = clock.reading(of: now)
        var due: [Int32] = []
        earliest[clock.rawValue] = .max
        for number in stride(from: clock.rawValue, to: heaps.count, by: 2) {
            while let first = heaps[number].first, let date = heaps[number].firstKey {
                guard date <= now else {
                    earliest[clock.rawValue] = min(earliest[clock.rawValue], date)
                    break
                }
                cancel(first, ofSet: Int32(number / 2), records)
                due.append(first)
            }
        }
        return due
    }
}
