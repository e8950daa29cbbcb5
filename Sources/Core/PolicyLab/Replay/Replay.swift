// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy
public import TransferScheduling

/// Runs the scheduler through a device's recorded days under a virtual clock.
///
/// The decisions are the scheduler's own, event by event. The replay only simulates the machine: it reports
/// conditions, submits arriving jobs, moves bytes through running transfers, and wakes the scheduler on request.
///
/// Nothing moves while power or network is unknown, or outside the trace. Costs one scheduler event per change.
///
/// ```swift
/// let settings = ReplaySettings()
/// if let policy = try LabPolicy("strict").policy {
///     var replay = Replay(trace, jobs: jobs, policy: policy, settings: settings)
///     print(replay.run().lateBytes)
/// }
/// ```
public struct Replay: ~Copyable {
    let trace: Trace
    let settings: ReplaySettings
    private var scheduler: Scheduler
    private var generator: SplitMix64
    private var effects: [Effect] = []

    /// The jobs in order of ID. An index is also the job's ID in the scheduler.
    private let jobs: [Job]
    /// The indices of ``jobs`` in order of arrival.
    private let arrivals: [Int]
    private var states: [JobState]
    private var nextArrival = 0
    private var nextSegment = 0
    private var current: Trace.Segment?
    private var conditions: Conditions
    /// The indices of the running jobs, in the order in which they started.
    private var running: [Int] = []
    private var now: WallTime
    private var wake: WallTime?
    private var accumulator: OutcomeAccumulator
    private var prices: ReplayedPrices?

    /// Creates a replay that has not begun.
    ///
    /// - Parameters:
    ///   - trace: The recorded conditions of the device.
    ///   - jobs: The jobs, with unique IDs. A job that arrives after the end of the trace does not finish.
    ///   - policy: The policy to replay.
    ///   - settings: The costs and rates.
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
        // Jobs that arrived before the trace wait for its start.
        now = trace.start
        generator = SplitMix64(seed: settings.seed)
        let start = ClockReading(instant: .zero, wall: trace.start)
        scheduler = Scheduler(configuration: settings.scheduler, policy: policy, startingAt: start)
        conditions = Conditions(unknownSince: start)
        prices = settings.prices.map { ReplayedPrices($0, from: start.wall) }
        if let prices {
            conditions.priceCurve.update(
                to: prices.curve(at: start.wall), source: .priceCurve, confidence: .reported, at: start)
        }
        accumulator = OutcomeAccumulator(trace, jobs: ordered, settings)
    }

    /// Replays the whole trace and returns the outcome.
    ///
    /// - Parameter observe: A closure that is called after each event, with the scheduler's state and the time.
    public mutating func run(observe: (borrowing Scheduler, ClockReading) -> Void = { _, _ in }) -> DeviceOutcome {
        while now < trace.end {
            processEvents()
            observe(scheduler, clockReading)
            advance(to: min(nextChange, trace.end))
        }
        // A job that is complete at the very end counts as finished.
        complete()
        for index in states.indices { closeWait(index, at: max(now, jobs[index].arrival)) }
        return accumulator.outcome(arrivals.map { states[$0] })
    }

    /// Returns the scheduler's ID of a job; `nil` for an unknown job.
    public func transferID(ofJob id: Int64) -> TransferID? { jobs.firstIndex { $0.id == id }.map { self.id($0) } }

    private var clockReading: ClockReading {
        ClockReading(instant: Instant(nanoseconds: Self.distance(trace.start, now)), wall: now)
    }

    private static func distance(_ start: WallTime, _ end: WallTime) -> Int64 {
        // Dates are within ±4·10¹⁸ ns, so their difference cannot overflow by more than the sum of two dates.
        end.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch
    }

    // MARK: Events

    private mutating func processEvents() {
        reportProgress()
        complete()
        if nextSegment < trace.segments.count, trace.segments[nextSegment].start <= now {
            enter(trace.segments[nextSegment])
            nextSegment += 1
        } else if let segment = current, segment.end <= now {
            enter(nil)
        }
        if prices?.pass(now) == true { revisePrices() }
        while nextArrival < arrivals.count, jobs[arrivals[nextArrival]].arrival <= now {
            submit(arrivals[nextArrival])
            nextArrival += 1
        }
        if let due = wake, due <= now {
            wake = nil
            send(.woken)
        }
    }

    /// Reports the progress of the running transfers.
    private mutating func reportProgress() {
        for index in running where states[index].hasMoved {
            let done = jobs[index].bytes - states[index].remaining.wholeBytesRoundedUp
            send(.progressed(id(index), bytes: done, total: jobs[index].bytes))
        }
    }

    private mutating func complete() {
        while let index = running.first(where: { states[$0].remaining == .zero }) {
            finish(index)
        }
    }

    private mutating func finish(_ index: Int) {
        running.removeAll { $0 == index }
        states[index].isFinished = true
        states[index].outcome.finished = now
        closeWait(index, at: now)
        send(.finished(id(index)))
    }

    private mutating func submit(_ index: Int) {
        let job = jobs[index]
        var constraints = Constraints()
        constraints.deadline = job.deadline.map { DeadlineConstraint($0) }
        let traits = TransferTraits(
            kind: .discretionary, constraints: constraints, priority: job.priority, host: job.host, app: job.app,
            expectedBytesToReceive: job.expectedBytes ?? job.bytes, submitted: job.arrival,
            isFromBackground: job.isFromBackground)
        accumulator.events += 1
        var pendingEffects = detachEffectBuffer()
        scheduler.submit(id(index), traits, at: clockReading, using: &generator, into: &pendingEffects)
        perform(&pendingEffects)
    }

    /// Applies new conditions; `nil` if conditions were not recorded.
    private mutating func enter(_ segment: Trace.Segment?) {
        current = segment
        conditions.update(to: segment, at: clockReading)
        send(.conditionsChanged(conditions))
    }

    /// Applies the forecasts that have become known.
    private mutating func revisePrices() {
        conditions.priceCurve.update(
            to: prices?.curve(at: now), source: .priceCurve, confidence: .reported, at: clockReading)
        send(.conditionsChanged(conditions))
    }

    private func id(_ index: Int) -> TransferID { TransferID(Int64(index)) }

    // MARK: The scheduler's decisions

    private mutating func send(_ event: consuming Event) {
        accumulator.events += 1
        var pendingEffects = detachEffectBuffer()
        scheduler.apply(event, at: clockReading, using: &generator, into: &pendingEffects)
        perform(&pendingEffects)
    }

    /// Returns an empty buffer for effects, which ``perform(_:)`` gives back.
    private mutating func detachEffectBuffer() -> [Effect] {
        var pendingEffects: [Effect] = []
        swap(&pendingEffects, &effects)
        return pendingEffects
    }

    private mutating func perform(_ pendingEffects: inout [Effect]) {
        // Effects may cause events, which add effects: the array grows while it is traversed.
        var position = 0
        while position < pendingEffects.count {
            perform(pendingEffects[position], &pendingEffects)
            position += 1
        }
        pendingEffects.removeAll(keepingCapacity: true)
        swap(&pendingEffects, &effects)
    }

    private mutating func perform(_ effect: Effect, _ pendingEffects: inout [Effect]) {
        switch effect {
        case .start(let id):
            let index = Int(id.rawValue)
            states[index].hasMoved = false
            running.append(index)
            guard states[index].remaining == .zero else { return }
            finishImmediately(index, &pendingEffects)
        case .stop(let id):
            stop(Int(id.rawValue), &pendingEffects)
        case .wake(let instant):
            wake = instant.map { trace.start.adding($0.nanoseconds) }
        case .end, .discard, .saveRetry, .savePaused, .saveRelaunchDelay, .saveStatistics, .measureSpace, .explain,
            .reportDeadline:
            // Ends follow from the events that were reported here. Nothing is stored, and there is enough space.
            break
        }
    }

    private mutating func finishImmediately(_ index: Int, _ pendingEffects: inout [Effect]) {
        running.removeAll { $0 == index }
        states[index].isFinished = true
        states[index].outcome.finished = now
        closeWait(index, at: now)
        accumulator.events += 1
        scheduler.apply(.finished(id(index)), at: clockReading, using: &generator, into: &pendingEffects)
    }

    private mutating func stop(_ index: Int, _ pendingEffects: inout [Effect]) {
        running.removeAll { $0 == index }
        if states[index].hasMoved { accumulator.stops += 1 }
        let done = jobs[index].bytes - states[index].remaining.wholeBytesRoundedUp
        accumulator.events += 1
        scheduler.apply(.stopped(id(index), bytes: done), at: clockReading, using: &generator, into: &pendingEffects)
    }

    // MARK: Time

    /// The time of the next change.
    private var nextChange: WallTime {
        var next = current?.end ?? trace.end
        if nextSegment < trace.segments.count { next = min(next, trace.segments[nextSegment].start) }
        if nextArrival < arrivals.count { next = min(next, jobs[arrivals[nextArrival]].arrival) }
        if let wake { next = min(next, wake) }
        if let change = prices?.nextChange { next = min(next, change) }
        for (position, index) in running.enumerated() {
            guard let needed = states[index].remaining.nanoseconds(at: rate(atPosition: position)) else { continue }
            next = min(next, now.adding(needed))
        }
        return max(next, now.adding(1))
    }

    /// Returns the share of the network's rate that a running transfer receives. All running transfers share the rate
    /// equally.
    private func rate(atPosition position: Int) -> Int64 {
        guard let current, current.costClass != nil else { return 0 }
        let (share, rest) = settings.rate(of: current).quotientAndRemainder(dividingBy: Int64(running.count))
        return share + (Int64(position) < rest ? 1 : 0)
    }

    /// Moves bytes until `date`.
    private mutating func advance(to date: WallTime) {
        defer { now = date }
        guard !running.isEmpty, let current, let costClass = current.costClass else { return }
        accumulator.active(from: now, to: date, costClass, rate: settings.rate(of: current))
        for (position, index) in running.enumerated() {
            let rate = rate(atPosition: position)
            guard rate > 0 else { continue }
            let amount = min(states[index].remaining, Amount(rate: rate, nanoseconds: Self.distance(now, date)))
            var onTime = amount
            if let deadline = jobs[index].deadline, deadline < date {
                let left = max(0, Self.distance(now, deadline))
                onTime = min(amount, Amount(rate: rate, nanoseconds: left))
            }
            accumulator.add(onTime, late: amount - onTime, costClass)
            if let price = prices?.price(at: now) {
                accumulator.priceCost += onTime.bytes / 1e6 * price * settings.priceWeight
            }
            if settings.recordsActivity { accumulator.recordActivity(jobs[index].id, from: now, to: date) }
            closeWait(index, at: now)
            states[index].lastByte = date
            states[index].remaining -= amount
            if !states[index].hasMoved { states[index].outcome.starts += 1 }
            states[index].hasMoved = true
        }
    }

    /// Records the time until `date` in which no byte of a job arrived.
    private mutating func closeWait(_ index: Int, at date: WallTime) {
        guard states[index].lastByte < date, !states[index].isFinished || states[index].outcome.finished == date else {
            return
        }
        let wait = Self.distance(states[index].lastByte, date)
        states[index].longestWait = max(states[index].longestWait, wait)
    }
}
