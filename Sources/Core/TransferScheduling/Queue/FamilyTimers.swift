// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A timing wheel on each clock for each family that has something to wait for.
///
/// Apart, because a family in which nothing may run has no reason to wake anybody.
// Guard: not copyable, so that whoever has it has the wheels alone.
struct FamilyTimers: ~Copyable, @unchecked Sendable {
    enum Clock: Int { case boot, wall }

    /// By twice the family's number and the clock's.
    private var wheels: [UnsafeMutablePointer<TimerWheel>?] = []
    /// The next timer of each wheel, `Int64.max` for none; unknown where asking the wheel again is due.
    private var nexts: [Int64] = []
    private static let unknown = Int64.min
    /// No timer of that clock is due before.
    private var earliest: InlineArray<2, Int64> = [.max, .max]
    /// How many timers there are.
    private(set) var count = 0

    init() {}

    deinit {
        for case let wheel? in wheels {
            wheel.deinitialize(count: 1)
            wheel.deallocate()
        }
    }

    /// The families that have wheels, in the order in which they came to have one.
    private(set) var families: [Int] = []

    mutating func insert(_ place: Int32, family: Int32, _ clock: Clock, at time: Int64) -> UInt32 {
        let number = 2 * Int(family) + clock.rawValue
        while wheels.count <= number | 1 {
            wheels.append(nil)
            nexts.append(.max)
        }
        if nexts[number] != Self.unknown { nexts[number] = min(nexts[number], max(time, .min + 1)) }
        let wheel = wheels[number] ?? makeWheel(number)
        earliest[clock.rawValue] = min(earliest[clock.rawValue], time)
        count += 1
        return wheel.pointee.insert(Int64(place), at: Instant(nanoseconds: time)).index
    }

    private mutating func makeWheel(_ number: Int) -> UnsafeMutablePointer<TimerWheel> {
        let wheel = UnsafeMutablePointer<TimerWheel>.allocate(capacity: 1)
        wheel.initialize(to: TimerWheel())
        if wheels[number ^ 1] == nil { families.append(number / 2) }
        wheels[number] = wheel
        return wheel
    }

    /// Takes a timer away that has not fired.
    mutating func cancel(_ timer: UInt32, family: Int32, _ clock: Clock) {
        let number = 2 * Int(family) + clock.rawValue
        nexts[number] = Self.unknown
        wheels[number]?.pointee.cancelWaiting(at: timer)
        count -= 1
    }

    /// The next timer of a family on a clock; nil where it has none.
    mutating func next(family: Int, _ clock: Clock) -> Int64? {
        let number = 2 * family + clock.rawValue
        guard number < nexts.count else { return nil }
        if nexts[number] == Self.unknown { nexts[number] = wheels[number]?.pointee.nextDeadline?.nanoseconds ?? .max }
        return nexts[number] == .max ? nil : nexts[number]
    }

    /// Takes out what is due on a clock, one after another; nil where nothing is.
    @inline(__always)
    mutating func popFirst(_ clock: Clock, dueAt now: Int64) -> Int32? {
        earliest[clock.rawValue] <= now ? findFirst(clock, dueAt: now) : nil
    }

    private mutating func findFirst(_ clock: Clock, dueAt now: Int64) -> Int32? {
        var next = Int64.max
        for family in families {
            guard let wheel = wheels[2 * family + clock.rawValue] else { continue }
            if let fired = wheel.pointee.popFirst(dueAt: Instant(nanoseconds: now)) {
                count -= 1
                nexts[2 * family + clock.rawValue] = Self.unknown
                return Int32(truncatingIfNeeded: fired.payload)
            }
            if let deadline = wheel.pointee.nextDeadline { next = min(next, deadline.nanoseconds) }
        }
        earliest[clock.rawValue] = next
        return nil
    }
}
