// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy
public import TransferScheduling

/// Lets the scheduler live through a device's recorded days under a virtual clock.
///
/// The decisions are the scheduler's own, event by event; this only plays the machine: it tells what the conditions are,
/// hands over what arrives, moves bytes through what runs, and wakes the scheduler when it asked to be. Nothing moves
/// while power or network is unknown, before the trace and after it. Costs one scheduler event for each change.
public struct Replay: ~Copyable {
    let trace: Trace
    let settings: ReplaySettings
    private var scheduler: Scheduler
    private var generator: SplitMix64
    private var effects: [Effect] = []

    /// In the order of ids, which are also what the scheduler knows them by.
    private let jobs: [Job]
    /// The indices of ``jobs`` in the order of arrivals.
    private let arrivals: [Int]
    private var states: [JobState]
    private var nextArrival = 0
    private var nextSegment = 0
    private var current: Trace.Segment?
    private var conditions: Conditions
    /// Indices of the jobs that run, in the order of their starts.
    private var running: [Int] = []
    private var now: WallTime
    private var wake: WallTime?
    private var ledger: Ledger

    struct JobState {
        var remaining: Amount
        var outcome: JobOutcome
        /// When the last byte came; its arrival before.
        var lastByte: WallTime
        /// The longest time in a row without a byte of it, in nanoseconds.
        var longestWait: Int64 = 0
        /// Whether bytes came in the attempt that is under way.
        var hasMoved = false
        var isOver = false
    }

    /// A replay that has not begun.
    ///
    /// - Parameter jobs: with ids one of a kind. One that arrives after the trace has ended is not done.
    public init(_ trace: Trace, jobs: [Job], policy: any Policy, settings: ReplaySettings) {
        self.trace = trace
        self.settings = settings
        let ordered = jobs.sorted { $0.id < $1.id }
        self.jobs = ordered
        arrivals = ordered.indices.sorted {
            (ordered[$0].arrival, ordered[$0].id) < (ordered[$1].arrival, ordered[$1].id)
        }
        states = ordered.map {
            JobState(remaining: Amount(bytes: $0.bytes), outcome: JobOutcome($0), lastByte: $0.arrival)
        }
        // What arrived before the trace waits for its start.
        now = trace.start
        generator = SplitMix64(seed: settings.seed)
        let start = Moment(instant: .zero, wall: trace.start)
        scheduler = Scheduler(configuration: settings.scheduler, policy: policy, startingAt: start)
        conditions = Conditions(unknownSince: start)
        ledger = Ledger(trace, jobs: ordered, settings)
    }

    /// Lets it all happen.
    ///
    /// - Parameter look: called after each moment at which something happened, with what the scheduler knows.
    public mutating func run(look: (borrowing Scheduler, Moment) -> Void = { _, _ in }) -> DeviceOutcome {
        while now < trace.end {
            happen()
            look(scheduler, moment)
            move(to: min(nextChange, trace.end))
        }
        // What is done at the very end is done.
        complete()
        for index in states.indices { closeWait(index, at: max(now, jobs[index].arrival)) }
        return ledger.outcome(arrivals.map { states[$0] })
    }

    /// What the scheduler knows a job by; nil where there is no such job.
    public func transferID(ofJob id: Int64) -> TransferID? { jobs.firstIndex { $0.id == id }.map { self.id($0) } }

    private var moment: Moment {
        Moment(instant: Instant(nanoseconds: Self.distance(trace.start, now)), wall: now)
    }

    private static func distance(_ start: WallTime, _ end: WallTime) -> Int64 {
        // Dates are within ±4·10¹⁸ ns, so this cannot overflow by more than the sum of two of them.
        end.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch
    }

    // MARK: What happens at a moment

    private mutating func happen() {
        report()
        complete()
        if nextSegment < trace.segments.count, trace.segments[nextSegment].start <= now {
            enter(trace.segments[nextSegment])
            nextSegment += 1
        } else if let segment = current, segment.end <= now {
            enter(nil)
        }
        while nextArrival < arrivals.count, jobs[arrivals[nextArrival]].arrival <= now {
            submit(arrivals[nextArrival])
            nextArrival += 1
        }
        if let due = wake, due <= now {
            wake = nil
            tell(.woken)
        }
    }

    /// Tells how far the running transfers have come.
    private mutating func report() {
        for index in running where states[index].hasMoved {
            let done = jobs[index].bytes - states[index].remaining.wholeBytesUp
            tell(.progressed(id(index), bytes: done, total: jobs[index].bytes))
        }
    }

    private mutating func complete() {
        while let index = running.first(where: { states[$0].remaining == .zero }) {
            finish(index)
        }
    }

    private mutating func finish(_ index: Int) {
        running.removeAll { $0 == index }
        states[index].isOver = true
        states[index].outcome.finished = now
        closeWait(index, at: now)
        tell(.finished(id(index)))
    }

    private mutating func submit(_ index: Int) {
        let job = jobs[index]
        var constraints = Constraints()
        constraints.deadline = job.deadline.map { DeadlineConstraint($0) }
        let traits = TransferTraits(
            kind: .discretionary, constraints: constraints, priority: job.priority, host: job.host, app: job.app,
            expectedBytesToReceive: job.expectedBytes ?? job.bytes, submitted: job.arrival,
            isFromBackground: job.isFromBackground)
        ledger.events += 1
        var orders = takeOrders()
        scheduler.submit(id(index), traits, at: moment, using: &generator, into: &orders)
        carryOut(&orders)
    }

    /// The machine is like this from now on; nil where nobody recorded it.
    private mutating func enter(_ segment: Trace.Segment?) {
        current = segment
        conditions.update(to: segment, at: moment)
        tell(.conditionsChanged(conditions))
    }

    private func id(_ index: Int) -> TransferID { TransferID(Int64(index)) }

    // MARK: The scheduler's word

    private mutating func tell(_ event: consuming Event) {
        ledger.events += 1
        var orders = takeOrders()
        scheduler.apply(event, at: moment, using: &generator, into: &orders)
        carryOut(&orders)
    }

    /// Room for orders, that ``carryOut(_:)`` gives back.
    private mutating func takeOrders() -> [Effect] {
        var orders: [Effect] = []
        swap(&orders, &effects)
        return orders
    }

    private mutating func carryOut(_ orders: inout [Effect]) {
        // Orders may bring events of their own, which bring orders: the list grows while it is walked.
        var position = 0
        while position < orders.count {
            carryOut(orders[position], &orders)
            position += 1
        }
        orders.removeAll(keepingCapacity: true)
        swap(&orders, &effects)
    }

    private mutating func carryOut(_ effect: Effect, _ orders: inout [Effect]) {
        switch effect {
        case .start(let id):
            let index = Int(id.rawValue)
            states[index].hasMoved = false
            running.append(index)
            guard states[index].remaining == .zero else { return }
            finishAtOnce(index, &orders)
        case .stop(let id):
            stop(Int(id.rawValue), &orders)
        case .wake(let instant):
            wake = instant.map { trace.start.adding($0.nanoseconds) }
        case .end, .discard, .saveRetry, .savePaused, .saveRelaunchHold, .saveLearned, .measureSpace, .explain:
            // Ends follow from what was told here; nothing is stored, and there is room enough.
            break
        }
    }

    private mutating func finishAtOnce(_ index: Int, _ orders: inout [Effect]) {
        running.removeAll { $0 == index }
        states[index].isOver = true
        states[index].outcome.finished = now
        closeWait(index, at: now)
        ledger.events += 1
        scheduler.apply(.finished(id(index)), at: moment, using: &generator, into: &orders)
    }

    private mutating func stop(_ index: Int, _ orders: inout [Effect]) {
        running.removeAll { $0 == index }
        if states[index].hasMoved { ledger.stops += 1 }
        let done = jobs[index].bytes - states[index].remaining.wholeBytesUp
        ledger.events += 1
        scheduler.apply(.stopped(id(index), bytes: done), at: moment, using: &generator, into: &orders)
    }

    // MARK: Time

    /// When something happens next, if nothing happens before.
    private var nextChange: WallTime {
        var next = current?.end ?? trace.end
        if nextSegment < trace.segments.count { next = min(next, trace.segments[nextSegment].start) }
        if nextArrival < arrivals.count { next = min(next, jobs[arrivals[nextArrival]].arrival) }
        if let wake { next = min(next, wake) }
        for (place, index) in running.enumerated() {
            guard let needed = states[index].remaining.nanoseconds(at: rate(ofPlace: place)) else { continue }
            next = min(next, now.adding(needed))
        }
        return max(next, now.adding(1))
    }

    /// What one of those that run gets of the network; they share it equally.
    private func rate(ofPlace place: Int) -> Int64 {
        guard let current, current.costClass != nil else { return 0 }
        let (share, rest) = settings.rate(of: current).quotientAndRemainder(dividingBy: Int64(running.count))
        return share + (Int64(place) < rest ? 1 : 0)
    }

    /// Moves bytes until `date`.
    private mutating func move(to date: WallTime) {
        defer { now = date }
        guard !running.isEmpty, let current, let costClass = current.costClass else { return }
        ledger.active(from: now, to: date, costClass, rate: settings.rate(of: current))
        for (place, index) in running.enumerated() {
            let rate = rate(ofPlace: place)
            guard rate > 0 else { continue }
            let amount = min(states[index].remaining, Amount(rate: rate, nanoseconds: Self.distance(now, date)))
            var onTime = amount
            if let deadline = jobs[index].deadline, deadline < date {
                let left = max(0, Self.distance(now, deadline))
                onTime = min(amount, Amount(rate: rate, nanoseconds: left))
            }
            ledger.add(onTime, late: amount - onTime, costClass)
            if settings.recordsActivity { ledger.note(jobs[index].id, from: now, to: date) }
            closeWait(index, at: now)
            states[index].lastByte = date
            states[index].remaining -= amount
            if !states[index].hasMoved { states[index].outcome.starts += 1 }
            states[index].hasMoved = true
        }
    }

    /// Notes how long no byte of a job came until `date`.
    private mutating func closeWait(_ index: Int, at date: WallTime) {
        guard states[index].lastByte < date, !states[index].isOver || states[index].outcome.finished == date else {
            return
        }
        let wait = Self.distance(states[index].lastByte, date)
        states[index].longestWait = max(states[index].longestWait, wait)
    }
}

extension WallTime {
    /// So many nanoseconds later; as a duration they would cost a division of 128 bits.
    fileprivate func adding(_ nanoseconds: Int64) -> WallTime {
        WallTime(nanosecondsSinceEpoch: nanosecondsSinceEpoch.addingSaturating(nanoseconds))
    }
}

extension Amount {
    /// In whole bytes, rounded up: a byte that is not all there is missing.
    fileprivate var wholeBytesUp: Int64 { Amount(parts: parts + 999_999_999).wholeBytes }
}
