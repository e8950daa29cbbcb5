// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// A wrapper around the scheduler that runs the workload in loops without other work.
///
/// Transfers are prepared by `load` outside of the measured time.
struct CoreScheduler: ~Copyable {
    /// The transfers that started since the array was last emptied.
    var started: [Int64] = []
    private var scheduler: Scheduler
    private var generator = SplitMix64(seed: 1)
    private var effects: [Effect] = []
    private let names: CoreNames
    // In reverse order, so that each event is moved out of the array rather than copied. A caller that has just
    // created an event also moves it.
    private var submissions: [Event] = []
    private var changes: [(Event, ClockReading)] = []

    init(_ names: CoreNames, at now: ClockReading) {
        self.names = names
        started.reserveCapacity(1 << 16)
        var configuration = SchedulerConfiguration()
        // The workload contains the end of an outage, after which transfers must start immediately.
        configuration.staggeredStartJitter = .zero
        scheduler = Scheduler(configuration: configuration, policy: PatiencePolicy(), startingAt: now)
    }

    @inline(__always)
    private mutating func apply(_ event: consuming Event, at now: ClockReading) {
        effects.removeAll(keepingCapacity: true)
        scheduler.apply(event, at: now, using: &generator, into: &effects)
        for case .start(let id) in effects { started.append(id.rawValue) }
    }

    mutating func load(_ jobs: [CoreJob], from firstID: Int64, at now: ClockReading) {
        for (offset, job) in jobs.enumerated().reversed() {
            let id = TransferID(firstID + Int64(offset))
            submissions.append(.submitted(id, CoreWorkload.traits(of: job, names, at: now)))
        }
    }

    mutating func load(_ machines: [CoreMachine]) {
        changes = machines.reversed().map { (.conditionsChanged($0.conditions), $0.since) }
    }

    mutating func submitLoaded(at now: ClockReading) {
        while let event = submissions.popLast() { apply(event, at: now) }
    }

    mutating func changeLoaded() {
        while let (event, date) = changes.popLast() { apply(event, at: date) }
    }

    mutating func cancel(_ ids: [Int64], at now: ClockReading) {
        for id in ids { apply(.cancelled(TransferID(id)), at: now) }
    }

    /// Finishes running transfers one after the other, `times` in total. The transfer that starts takes the place of
    /// the finished one.
    mutating func finish(_ running: inout [Int64], times: Int, at now: ClockReading) {
        for turn in 0..<times {
            let slot = turn % running.count
            apply(.finished(TransferID(running[slot])), at: now)
            if let next = started.last { running[slot] = next }
        }
    }
}
