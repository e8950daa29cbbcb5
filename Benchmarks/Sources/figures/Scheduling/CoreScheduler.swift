// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// The scheduler, which takes the workload in and runs it in loops that hold nothing else.
///
/// Loaded transfers are made ready outside of the measured time.
struct CoreScheduler: ~Copyable {
    /// The transfers that were told to start since this was last emptied.
    var started: [Int64] = []
    private var scheduler: Scheduler
    private var generator = SplitMix64(seed: 1)
    private var effects: [Effect] = []
    private let names: CoreNames
    // The last one first: each is handed over, not copied, as by whoever has just made it.
    private var submissions: [Event] = []
    private var changes: [(Event, Moment)] = []

    init(_ names: CoreNames, at now: Moment) {
        self.names = names
        started.reserveCapacity(1 << 16)
        var configuration = SchedulerConfiguration()
        // An outage ends in the workload, and its starts are to come at once.
        configuration.drainJitter = .zero
        scheduler = Scheduler(configuration: configuration, policy: DefaultPolicy(), startingAt: now)
    }

    @inline(__always)
    private mutating func apply(_ event: consuming Event, at now: Moment) {
        effects.removeAll(keepingCapacity: true)
        scheduler.apply(event, at: now, using: &generator, into: &effects)
        for case .start(let id) in effects { started.append(id.rawValue) }
    }

    mutating func load(_ jobs: [CoreJob], from firstID: Int64, at now: Moment) {
        for (offset, job) in jobs.enumerated().reversed() {
            let id = TransferID(firstID + Int64(offset))
            submissions.append(.submitted(id, CoreWorkload.traits(of: job, names, at: now)))
        }
    }

    mutating func load(_ machines: [CoreMachine]) {
        changes = machines.reversed().map { (.conditionsChanged($0.conditions), $0.since) }
    }

    mutating func submitLoaded(at now: Moment) {
        while let event = submissions.popLast() { apply(event, at: now) }
    }

    mutating func changeLoaded() {
        while let (event, date) = changes.popLast() { apply(event, at: date) }
    }

    mutating func cancel(_ ids: [Int64], at now: Moment) {
        for id in ids { apply(.cancelled(TransferID(id)), at: now) }
    }

    /// Ends one of the running after the other, so often; what starts takes its place.
    mutating func finish(_ running: inout [Int64], times: Int, at now: Moment) {
        for turn in 0..<times {
            let slot = turn % running.count
            apply(.finished(TransferID(running[slot])), at: now)
            if let next = started.last { running[slot] = next }
        }
    }
}
