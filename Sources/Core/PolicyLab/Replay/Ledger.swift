// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// Keeps count of what a replay moves.
struct Ledger {
    private var totals: DeviceOutcome
    private var onTime = Array(repeating: Amount.zero, count: CostClass.allCases.count)
    private var late = Array(repeating: Amount.zero, count: CostClass.allCases.count)
    private let activationGap: Duration
    /// When something was last transferred.
    private var lastActive: WallTime?
    private var lastClass: CostClass?
    /// Events that the scheduler was told.
    var events = 0
    /// Stops of transfers that were not done.
    var stops = 0

    init(_ trace: Trace, jobs: [Job], _ settings: ReplaySettings) {
        totals = DeviceOutcome(device: trace.device)
        totals.offeredBytes = Amount(parts: jobs.reduce(0) { $0 + Amount(bytes: $1.bytes).parts }).bytes
        totals.span = trace.span
        totals.unknownTime = trace.unknownTime
        activationGap = settings.activationGap
    }

    /// Something is transferred in that time.
    mutating func active(from start: WallTime, to end: WallTime, _ costClass: CostClass) {
        let isOnAC = costClass == .acFree || costClass == .acMetered
        let pause = lastActive.map { $0.duration(to: start) }
        if pause.map({ $0 > activationGap }) ?? true {
            totals.activations += 1
            totals.wakes.add(1, isOnAC: isOnAC)
        }
        closeTail(until: start)
        totals.activeTime.add(start.duration(to: end).labSeconds, isOnAC: isOnAC)
        lastActive = end
        lastClass = costClass
    }

    /// The radio stays awake for a while after a transfer.
    private mutating func closeTail(until date: WallTime?) {
        guard let lastActive, let lastClass else { return }
        let tail = date.map { min(activationGap, lastActive.duration(to: $0)) } ?? activationGap
        totals.tailTime.add(tail.labSeconds, isOnAC: lastClass == .acFree || lastClass == .acMetered)
    }

    /// Bytes of a job came in that time.
    mutating func note(_ job: Int64, from start: WallTime, to end: WallTime) {
        // With several at once their pieces come in turns.
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

    /// What came of it all.
    mutating func outcome(_ states: [Replay.JobState]) -> DeviceOutcome {
        closeTail(until: nil)
        totals.jobs = states.map(\.outcome)
        totals.onTimeBytes = onTime.map(\.bytes)
        totals.lateBytesByClass = late.map(\.bytes)
        totals.undoneBytes = states.reduce(Amount.zero) { $0 + $1.remaining }.bytes
        totals.stops = stops
        totals.events = events
        return totals
    }
}
