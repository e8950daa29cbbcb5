// SPDX-License-Identifier: Apache-2.0
import CxxQueue
import TransferModel
import TransferPolicy
import TransferScheduling

/// One of the sides that are measured: takes the workload in, and runs it in loops that hold nothing else.
///
/// What is loaded is made ready outside of the measured time.
protocol CoreSide: ~Copyable {
    init(_ names: CoreNames, at now: Moment)
    /// Whether every event goes over all transfers.
    static var isScan: Bool { get }
    /// What was told to start since this was last emptied.
    var started: [Int64] { get set }

    mutating func load(_ jobs: [CoreJob], from firstID: Int64, at now: Moment)
    mutating func load(_ machines: [CoreMachine])
    /// Takes in what was loaded last, in the cheapest way there is.
    mutating func fill(at now: Moment)
    mutating func submitLoaded(at now: Moment)
    mutating func changeLoaded()
    mutating func cancel(_ ids: [Int64], at now: Moment)
    /// Ends one of the running after the other, so often; what starts takes its place.
    mutating func finish(_ running: inout [Int64], times: Int, at now: Moment)
}

/// The scheduler that is shipped.
struct SwiftSide: CoreSide, ~Copyable {
    static let isScan = false
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

    mutating func fill(at now: Moment) { submitLoaded(at: now) }

    mutating func submitLoaded(at now: Moment) {
        while let event = submissions.popLast() { apply(event, at: now) }
    }

    mutating func changeLoaded() {
        while let (event, date) = changes.popLast() { apply(event, at: date) }
    }

    mutating func cancel(_ ids: [Int64], at now: Moment) {
        for id in ids { apply(.cancelled(TransferID(id)), at: now) }
    }

    mutating func finish(_ running: inout [Int64], times: Int, at now: Moment) {
        for turn in 0..<times {
            let slot = turn % running.count
            apply(.finished(TransferID(running[slot])), at: now)
            if let next = started.last { running[slot] = next }
        }
    }
}

/// What both C++ sides share: which of them it is says `Which`.
protocol CxxScheduler {
    static var isScan: Bool { get }
}

enum CxxQueuePort: CxxScheduler { static let isScan = false }
enum CxxScan: CxxScheduler { static let isScan = true }

/// The port of the queue to C++, or the scan.
struct CxxSide<Which: CxxScheduler>: CoreSide, ~Copyable {
    static var isScan: Bool { Which.isScan }
    var started: [Int64] = []
    private let scheduler: OpaquePointer
    private let names: CoreNames
    private var firstID: Int64 = 0
    private var traits: [cxq_traits] = []
    private var changes: [(cxq_facts, cxq_moment)] = []

    init(_ names: CoreNames, at now: Moment) {
        self.names = names
        started.reserveCapacity(1 << 16)
        let settings = cxq_default_settings()
        scheduler =
            Which.isScan ? cxq_create_scan(settings, cxq_moment(now)) : cxq_create_queue(settings, cxq_moment(now))
    }

    deinit { cxq_destroy(scheduler) }

    @inline(__always)
    private mutating func take(_ effects: cxq_effects) {
        for index in 0..<effects.count where effects.first[index].kind == Int32(CXQ_START) {
            started.append(effects.first[index].value)
        }
    }

    mutating func load(_ jobs: [CoreJob], from firstID: Int64, at now: Moment) {
        self.firstID = firstID
        traits.removeAll(keepingCapacity: true)
        for job in jobs { traits.append(CoreWorkload.cxxTraits(of: job, names, at: now)) }
    }

    mutating func load(_ machines: [CoreMachine]) {
        changes = machines.map { ($0.facts(names), cxq_moment($0.since)) }
    }

    mutating func fill(at now: Moment) {
        for index in traits.indices {
            take(cxq_loaded(scheduler, firstID + Int64(index), &traits[index], cxq_moment(now)))
        }
    }

    mutating func submitLoaded(at now: Moment) {
        for index in traits.indices {
            take(cxq_submitted(scheduler, firstID + Int64(index), &traits[index], cxq_moment(now)))
        }
    }

    mutating func changeLoaded() {
        for index in changes.indices { take(cxq_conditions_changed(scheduler, &changes[index].0, changes[index].1)) }
    }

    mutating func cancel(_ ids: [Int64], at now: Moment) {
        for id in ids { take(cxq_cancelled(scheduler, id, cxq_moment(now))) }
    }

    mutating func finish(_ running: inout [Int64], times: Int, at now: Moment) {
        for turn in 0..<times {
            let slot = turn % running.count
            take(cxq_finished(scheduler, running[slot], cxq_moment(now)))
            if let next = started.last { running[slot] = next }
        }
    }
}

extension cxq_moment {
    fileprivate init(_ moment: Moment) {
        self.init(instant: moment.instant.nanoseconds, wall: moment.wall.nanosecondsSinceEpoch)
    }
}
