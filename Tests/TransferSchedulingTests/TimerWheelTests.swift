// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import TransferScheduling

@Suite("TimerWheel")
struct TimerWheelTests {
    @Test("An empty wheel has no deadline and fires nothing")
    func empty() {
        let wheel = SharedWheel()
        #expect(wheel.nextDeadline == nil)
        #expect(wheel.popFirst(dueAt: .distantFuture) == nil)
        #expect(wheel.count == 0)
    }

    @Test("A timer fires at its nanosecond, not one before")
    func exact() {
        let wheel = SharedWheel()
        let handle = wheel.insert(7, at: Instant(nanoseconds: 5_000_000_123))
        #expect(wheel.nextDeadline == Instant(nanoseconds: 5_000_000_123))
        #expect(wheel.deadline(of: handle) == Instant(nanoseconds: 5_000_000_123))
        #expect(wheel.popFirst(dueAt: Instant(nanoseconds: 5_000_000_122)) == nil)
        let fired = wheel.popFirst(dueAt: Instant(nanoseconds: 5_000_000_123))
        #expect(fired == TimerWheel.Fired(deadline: Instant(nanoseconds: 5_000_000_123), payload: 7))
        #expect(wheel.deadline(of: handle) == nil)
    }

    @Test("Timers within one tick come in the order of their nanoseconds, equal ones in that of their payloads")
    func orderWithinTick() {
        let wheel = SharedWheel()
        for (payload, nanosecond) in [(4, 30), (9, 10), (2, 30), (3, 20), (-1, 30)] as [(Int64, Int64)] {
            _ = wheel.insert(payload, at: Instant(nanoseconds: nanosecond))
        }
        #expect(drained(wheel).map(\.payload) == [9, 3, -1, 2, 4])
    }

    @Test("The next deadline is exact though its slot is hours wide, also when earlier ones were cancelled")
    func exactInCoarseSlot() {
        let wheel = SharedWheel()
        let base: Int64 = 40 * 86_400 * 1_000_000_000
        let handles = (0..<1000).map { wheel.insert(Int64($0), at: Instant(nanoseconds: base + Int64($0) * 7)) }
        for index in 0..<999 {
            wheel.cancel(handles[index])
            guard wheel.nextDeadline?.nanoseconds == base + Int64(index + 1) * 7 else {
                Issue.record("after cancelling \(index): \(String(describing: wheel.nextDeadline))")
                return
            }
        }
        wheel.cancel(handles[999])
        #expect(wheel.nextDeadline == nil)
    }

    @Test("What lies in the past fires at the next look, before all others and in order")
    func past() {
        let wheel = SharedWheel(startingAt: Instant(nanoseconds: 1 << 50))
        _ = wheel.insert(1, at: Instant(nanoseconds: (1 << 50) + 1))
        _ = wheel.insert(2, at: Instant(nanoseconds: 500))
        _ = wheel.insert(3, at: Instant(nanoseconds: -500))
        _ = wheel.insert(4, at: Instant(nanoseconds: 600))
        #expect(wheel.nextDeadline == Instant(nanoseconds: -500))
        #expect(drained(wheel, at: Instant(nanoseconds: 1 << 50)).map(\.payload) == [3, 2, 4])
        #expect(wheel.nextDeadline == Instant(nanoseconds: (1 << 50) + 1))
    }

    @Test("The ends of Int64 and jumps of years are instants like any other")
    func extremes() {
        let wheel = SharedWheel(startingAt: .distantFuture)
        let year: Int64 = 365 * 86_400 * 1_000_000_000
        let moments: [Int64] = [.max, .min, 0, -1, 1, 200 * year, -200 * year, .max - 1, .min + 1]
        for moment in moments { _ = wheel.insert(moment, at: Instant(nanoseconds: moment)) }
        #expect(wheel.nextDeadline == Instant(nanoseconds: .min))
        #expect(wheel.popFirst(dueAt: Instant(nanoseconds: .min))?.payload == .min)
        #expect(wheel.popFirst(dueAt: Instant(nanoseconds: .min)) == nil)
        #expect(drained(wheel).map(\.payload) == Array(moments.sorted().dropFirst()))
        _ = wheel.insert(1, at: Instant(nanoseconds: 3))
        #expect(wheel.nextDeadline == Instant(nanoseconds: 3), "a wheel that was at the end of time still takes timers")
    }

    @Test("A clock that goes back fires nothing twice and keeps the order")
    func clockGoesBack() {
        let wheel = SharedWheel()
        _ = wheel.insert(1, at: Instant(nanoseconds: 1_000_000_000))
        _ = wheel.insert(2, at: Instant(nanoseconds: 9_000_000_000))
        #expect(drained(wheel, at: Instant(nanoseconds: 5_000_000_000)).map(\.payload) == [1])
        #expect(drained(wheel, at: Instant(nanoseconds: 10)).isEmpty)
        _ = wheel.insert(3, at: Instant(nanoseconds: 20))
        #expect(wheel.nextDeadline == Instant(nanoseconds: 20))
        #expect(drained(wheel).map(\.payload) == [3, 2])
    }

    @Test("Cancelling after the timer fired, or twice, changes nothing, though its place holds another timer by then")
    func staleHandles() {
        let wheel = SharedWheel()
        let fired = wheel.insert(1, at: Instant(nanoseconds: 1))
        #expect(wheel.popFirst(dueAt: .distantFuture)?.payload == 1)
        let second = wheel.insert(2, at: Instant(nanoseconds: 2))
        #expect(!wheel.cancel(fired))
        #expect(wheel.deadline(of: fired) == nil)
        #expect(wheel.count == 1)
        #expect(wheel.cancel(second))
        #expect(!wheel.cancel(second))
        let third = wheel.insert(3, at: Instant(nanoseconds: 3))
        #expect(third != second && third != fired)
        #expect(!wheel.cancel(second))
        #expect(drained(wheel).map(\.payload) == [3])
    }

    @Test("A handle of another wheel that is larger names nothing")
    func foreignHandle() {
        let large = SharedWheel()
        let handles = (0..<100).map { large.insert($0, at: Instant(nanoseconds: $0)) }
        let small = SharedWheel(minimumCapacity: -5)
        #expect(!small.cancel(handles[99]))
        _ = small.insert(1, at: .zero)
        #expect(!small.cancel(handles[99]))
        #expect(small.count == 1)
    }

    @Test("Places are reused: a thousand rounds never take more of them than wait at once")
    func reuse() {
        let wheel = SharedWheel()
        var highest: UInt32 = 0
        for round in 0..<1000 as Range<Int64> {
            let handles = (0..<20).map { wheel.insert($0, at: Instant(nanoseconds: round * 1_000_000 + $0)) }
            highest = max(highest, handles.map(\.index).max() ?? 0)
            for handle in handles.prefix(10) { wheel.cancel(handle) }
            wheel.advance(to: Instant(nanoseconds: (round + 1) * 1_000_000)) { _ in }
            #expect(wheel.count == 0)
        }
        #expect(highest == 19)
    }

    @Test("A hundred thousand timers of one instant come in the order of their payloads")
    func sameInstant() {
        let wheel = SharedWheel()
        var generator = SplitMix64(seed: 5)
        for payload in (0..<100_000 as Range<Int64>).shuffled(using: &generator) {
            _ = wheel.insert(payload, at: Instant(nanoseconds: 1 << 45))
        }
        #expect(drained(wheel).map(\.payload) == Array(0..<100_000))
    }

    @Test(
        "Against a sorted array: random runs over a millisecond, a second, an hour, a year and all of time",
        arguments: [
            (1, 1 << 20), (2, 1_000_000_000), (3, 3_600_000_000_000), (4, 31_536_000_000_000_000), (5, Int64.max),
        ] as [(UInt64, Int64)])
    func randomRun(seed: UInt64, span: Int64) {
        var run = WheelRun(seed: seed, span: span)
        for step in 0..<200_000 {
            if let problem = run.step() {
                Issue.record("seed \(seed), span \(span), step \(step): \(problem)")
                return
            }
        }
        #expect(run.fired > 20_000 && run.cancelled > 20_000, "the run must reach what it is to check, seed \(seed)")
    }

    private func drained(_ wheel: SharedWheel, at now: Instant = .distantFuture) -> [TimerWheel.Fired] {
        var all: [TimerWheel.Fired] = []
        wheel.advance(to: now) { all.append($0) }
        return all
    }
}

/// A wheel by reference: `#expect` takes no mutating call on a value that cannot be copied.
private final class SharedWheel {
    private var wheel: TimerWheel

    init(minimumCapacity: Int = 0, startingAt now: Instant = .zero) {
        wheel = TimerWheel(minimumCapacity: minimumCapacity, startingAt: now)
    }

    var count: Int { wheel.count }
    var nextDeadline: Instant? { wheel.nextDeadline }
    func deadline(of handle: TimerWheel.Handle) -> Instant? { wheel.deadline(of: handle) }
    func insert(_ payload: Int64, at deadline: Instant) -> TimerWheel.Handle { wheel.insert(payload, at: deadline) }
    @discardableResult
    func cancel(_ handle: TimerWheel.Handle) -> Bool { wheel.cancel(handle) }
    func popFirst(dueAt now: Instant) -> TimerWheel.Fired? { wheel.popFirst(dueAt: now) }
    func advance(to now: Instant, _ body: (TimerWheel.Fired) -> Void) { wheel.advance(to: now, body) }
}

/// A wheel beside the plainest thing that does the same: an array in order.
private struct WheelRun: ~Copyable {
    struct Entry {
        let fired: TimerWheel.Fired
        let handle: TimerWheel.Handle

        func precedes(_ other: Entry) -> Bool {
            (fired.deadline, fired.payload) < (other.fired.deadline, other.fired.payload)
        }
    }

    let span: Int64
    var generator: SplitMix64
    var wheel = TimerWheel()
    var entries: [Entry] = []
    var gone: [TimerWheel.Handle] = []
    var now: Int64 = 0
    var fired = 0
    var cancelled = 0

    init(seed: UInt64, span: Int64) {
        self.span = span
        generator = SplitMix64(seed: seed)
    }

    /// One random operation on both; says what differed.
    mutating func step() -> String? {
        // Waves, so that the wheel is sometimes empty and sometimes holds a few hundred.
        let growing = generator.next() % 4 != 0
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<45: if growing || entries.count < 5 { insert() } else { return cancel() }
        case 45..<65: return cancel()
        case 65..<70:
            if let handle = gone.randomElement(using: &generator), wheel.cancel(handle) { return "a gone timer" }
        case 70..<72:
            if let problem = advance(to: now.addingSaturating(-Int64.random(in: 0...span, using: &generator) / 50)) {
                return problem
            }
        default:
            // Mostly small steps, at times to the next deadline exactly or one nanosecond before.
            let step = Int64.random(in: 0...span, using: &generator) / 200
            let next = entries.first?.fired.deadline.nanoseconds ?? now
            let target = [now.addingSaturating(step), next, next.addingSaturating(-1)].randomElement(using: &generator)
            if let problem = advance(to: target ?? now) { return problem }
        }
        guard wheel.nextDeadline == entries.first?.fired.deadline else {
            return "next deadline \(String(describing: wheel.nextDeadline))"
        }
        return wheel.count == entries.count ? nil : "count \(wheel.count), not \(entries.count)"
    }

    private mutating func insert() {
        let offset = Int64.random(in: -span / 20...span, using: &generator)
        // A few at the same instants.
        let deadline =
            generator.next() % 8 == 0
            ? entries.randomElement(using: &generator)?.fired.deadline ?? .zero
            : Instant(nanoseconds: now.addingSaturating(offset))
        let payload = Int64.random(in: -1000...1000, using: &generator)
        let timer = TimerWheel.Fired(deadline: deadline, payload: payload)
        let entry = Entry(fired: timer, handle: wheel.insert(payload, at: deadline))
        entries.insert(entry, at: entries.firstIndex { entry.precedes($0) } ?? entries.count)
    }

    private mutating func cancel() -> String? {
        guard let index = entries.indices.randomElement(using: &generator) else { return nil }
        let entry = entries.remove(at: generator.next() % 3 == 0 ? 0 : index)
        guard wheel.deadline(of: entry.handle) == entry.fired.deadline else { return "deadline of a handle" }
        guard wheel.cancel(entry.handle) else { return "could not cancel \(entry.fired)" }
        remember(entry.handle)
        cancelled += 1
        return nil
    }

    private mutating func advance(to target: Int64) -> String? {
        now = target
        var popped: [TimerWheel.Fired] = []
        wheel.advance(to: Instant(nanoseconds: target)) { popped.append($0) }
        let due = entries.prefix { $0.fired.deadline.nanoseconds <= target }
        guard popped == due.map(\.fired) else { return "fired \(popped), not \(due.map(\.fired))" }
        for entry in due { remember(entry.handle) }
        fired += due.count
        entries.removeFirst(due.count)
        return nil
    }

    private mutating func remember(_ handle: TimerWheel.Handle) {
        gone.append(handle)
        if gone.count > 100 { gone.removeFirst(50) }
    }
}
