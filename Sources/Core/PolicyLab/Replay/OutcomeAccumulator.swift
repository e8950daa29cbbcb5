// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Accumulates the results of a replay.
struct OutcomeAccumulator {
    private var totals: DeviceOutcome
    private var onTime = Array(repeating: Amount.zero, count: CostClass.allCases.count)
    private var late = Array(repeating: Amount.zero, count: CostClass.allCases.count)
    /// In nanoseconds, as are all times here. A `Duration` would cost a 128-bit division at each step.
    private let activationGap: Int64
    /// The end of the last transfer.
    private var lastActive: WallTime?
    private var lastClass: CostClass?
    /// The number of events that the scheduler received.
    var events = 0
    /// The number of times that an unfinished transfer was stopped.
    var stops = 0
    /// The cost of the on-time bytes by the price of energy.
    var priceCost = 0.0

    init(_ trace: Trace, jobs: [Job], _ settings: ReplaySettings) {
        totals = DeviceOutcome(device: trace.device)
        totals.offeredBytes = Amount(nanobytes: jobs.reduce(0) { $0 + Amount(bytes: $1.bytes).nanobytes }).bytes
        totals.span = trace.span
        totals.unknownTime = trace.unknownTime
        activationGap = settings.activationGap.wholeNanoseconds
    }

    /// Records a period in which something is transferred.
    mutating func active(from start: WallTime, to end: WallTime, _ costClass: CostClass, rate: Int64) {
        let isOnAC = costClass == .acUnmetered || costClass == .acMetered
        let pause = lastActive.map { Self.distance($0, start) }
        if pause.map({ $0 > activationGap }) ?? true {
            totals.activations += 1
            totals.wakes.add(1, isOnAC: isOnAC)
            totals.wakeEnergy.add(RadioEnergy.of(costClass).wake, isOnAC: isOnAC)
        }
        closeTail(until: start)
        let seconds = Double(Self.distance(start, end)) / 1e9
        totals.activeTime.add(seconds, isOnAC: isOnAC)
        let energy = RadioEnergy.of(costClass).active(seconds: seconds, bytesPerSecond: rate)
        totals.activeEnergy.add(energy, isOnAC: isOnAC)
        lastActive = end
        lastClass = costClass
    }

    private static func distance(_ start: WallTime, _ end: WallTime) -> Int64 {
        end.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch
    }

    /// Records the time for which the radio stays awake after the last transfer.
    private mutating func closeTail(until date: WallTime?) {
        guard let lastActive, let lastClass else { return }
        let tail = date.map { min(activationGap, Self.distance(lastActive, $0)) } ?? activationGap
        let isOnAC = lastClass == .acUnmetered || lastClass == .acMetered
        totals.tailTime.add(Double(tail) / 1e9, isOnAC: isOnAC)
        totals.tailEnergy.add(RadioEnergy.of(lastClass).tail(seconds: Double(tail) / 1e9), isOnAC: isOnAC)
    }

    /// Records a period in which bytes of a job arrived.
    mutating func recordActivity(_ job: Int64, from start: WallTime, to end: WallTime) {
        // If several jobs run at the same time, their periods interleave.
        let recent = totals.activity.indices.suffix(8)
        if let last = recent.last(where: { totals.activity[$0].job == job && totals.activity[$0].end == start }) {
            totals.activity[last].end = end
        } else {
            totals.activity.append(DeviceOutcome.Activity(job: job, start: start, end: end))
        }
    }

    mutating func add(_ amount: Amount, late lateAmount: Amount, _ costClass: CostClass) {
        onTime[costClass.rawValue] += amount
        late[costClass.rawValue] += lateAmount
    }

    /// Returns the results of the replay.
    mutating func outcome(_ states: [Replay.JobState]) -> DeviceOutcome {
        closeTail(until: nil)
        totals.jobs = states.map { state in
            var outcome = state.outcome
            outcome.longestWait = .nanoseconds(state.longestWait)
            return outcome
        }
        totals.onTimeBytes = onTime.map(\.bytes)
        totals.lateBytesByClass = late.map(\.bytes)
        totals.undoneBytes = states.reduce(Amount.zero) { $0 + $1.remaining }.bytes
        totals.stops = stops
        totals.priceCost = priceCost
        totals.events = events
        return totals
    }
}
