// SPDX-License-Identifier: Apache-2.0
import CAllocations
import Foundation
import TransferModel
import TransferPolicy

/// The measured operations of the scheduling code.
enum CoreOperation: String, CaseIterable {
    /// Submits a transfer, which then waits.
    case submit
    /// Switches AC power on and off without a network, so that nothing may start.
    case power = "condition event (power)"
    /// Moves the machine between two unmetered networks while all slots are in use.
    case network = "condition event (network)"
    /// Finishes a running transfer, and the next transfer starts.
    case complete = "completion and dispatch"
    /// Cancels a random waiting transfer.
    case cancel
    /// Submits a transfer after an equal number has left, so that no storage grows.
    case resubmit = "submit again"
}

/// The cost of a number of events.
struct CoreCost {
    var events = 0
    var nanoseconds: Int64 = 0
    var allocations: Int64 = 0

    var nanosecondsEach: Double { Double(nanoseconds) / Double(events) }
    var allocationsEach: Double { Double(allocations) / Double(events) }
}

/// A run of the complete workload with a number of waiting transfers.
struct CoreRun: ~Copyable {
    /// The measured quantity. Counting allocations costs a little time.
    enum Mode { case time, memory }

    private(set) var costs: [CoreOperation: CoreCost] = [:]
    /// The bytes allocated for the scheduler and all waiting transfers.
    private(set) var bytes: Int64 = 0
    private let mode: Mode
    private var scheduler: CoreScheduler
    private var now = CoreWorkload.start
    private var generator = SplitMix64(seed: 2026)
    private var isWaiting: [Bool] = [false]
    private var running: [Int64] = []
    private var batch: [Int64] = []

    /// - Parameter count: The number of waiting transfers.
    init(waiting count: Int, _ mode: Mode, names: CoreNames, events: Int) {
        self.mode = mode
        allocations_reset()
        if mode == .memory { allocations_start() }
        scheduler = CoreScheduler(names, at: CoreWorkload.start)
        allocations_stop()
        isWaiting.reserveCapacity(count + 8 * events + 1024)
        batch.reserveCapacity(1024)
        change(to: [CoreMachine()], as: nil)
        var left = count
        while left > 0 {
            let size = min(left, 1000)
            submit(size, as: .submit)
            left -= size
        }
        bytes = allocations_read().live_bytes
        guard events > 0 else { return }
        measureConditions(.power, events)
        measureSlots(count, events)
    }

    // MARK: Scenarios

    private mutating func measureConditions(_ operation: CoreOperation, _ events: Int) {
        // The first events meet machine states that were not seen before.
        for part in [min(events, 8), events] {
            var machines: [CoreMachine] = []
            for index in 0..<part {
                now = now.advanced(by: .seconds(1))
                var machine = CoreMachine()
                machine.since = now
                switch operation {
                case .network:
                    machine.isOnAC = true
                    machine.network = index % 2 == 0 ? .office : .home
                    machine.isNetworkChange = true
                case .power, .submit, .complete, .cancel, .resubmit:
                    machine.isOnAC = index % 2 == 0
                    machine.isPowerChange = true
                }
                machines.append(machine)
            }
            change(to: machines, as: part == events ? operation : nil)
        }
    }

    private mutating func measureSlots(_ count: Int, _ events: Int) {
        var home = CoreMachine()
        (home.isOnAC, home.network, home.since) = (true, .home, now)
        change(to: [home], as: nil)
        running = scheduler.started
        recordStarted()
        guard !running.isEmpty else { return }
        // As many transfers arrive as leave, so that the number of waiting transfers stays about constant.
        let size = max(1, min(count / 10, 500, events))
        for operation in [CoreOperation.complete, .cancel] {
            for part in 0...max(1, events / size) {
                let measured = part == 0 ? nil : operation
                if operation == .complete { complete(size, as: measured) } else { cancel(size, as: measured) }
                submit(size, as: measured == nil ? nil : .resubmit)
            }
            if operation == .complete { measureConditions(.network, events) }
        }
    }

    // MARK: Batches

    private mutating func submit(_ size: Int, as operation: CoreOperation?) {
        var jobs: [CoreJob] = []
        for _ in 0..<size { jobs.append(CoreJob(using: &generator)) }
        now = now.advanced(by: .milliseconds(1))
        scheduler.load(jobs, from: Int64(isWaiting.count), at: now)
        for _ in 0..<size { isWaiting.append(true) }
        let now = now
        measure(operation, size) { $0.submitLoaded(at: now) }
        recordStarted()
    }

    private mutating func change(to machines: [CoreMachine], as operation: CoreOperation?) {
        scheduler.load(machines)
        measure(operation, machines.count) { $0.changeLoaded() }
    }

    private mutating func complete(_ size: Int, as operation: CoreOperation?) {
        now = now.advanced(by: .milliseconds(1))
        let now = now
        var running = running
        measure(operation, size) { $0.finish(&running, times: size, at: now) }
        self.running = running
        recordStarted()
    }

    private mutating func cancel(_ size: Int, as operation: CoreOperation?) {
        batch.removeAll(keepingCapacity: true)
        while batch.count < size {
            let id = Int64.random(in: 1..<Int64(isWaiting.count), using: &generator)
            guard isWaiting[Int(id)] else { continue }
            isWaiting[Int(id)] = false
            batch.append(id)
        }
        now = now.advanced(by: .milliseconds(1))
        let (now, batch) = (now, batch)
        measure(operation, size) { $0.cancel(batch, at: now) }
        recordStarted()
    }

    private mutating func recordStarted() {
        for id in scheduler.started {
            isWaiting[Int(id)] = false
        }
        scheduler.started.removeAll(keepingCapacity: true)
    }

    /// The processor time of this thread, which other programs do not affect.
    private static var processorTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private mutating func measure(_ operation: CoreOperation?, _ events: Int, _ body: (inout CoreScheduler) -> Void) {
        let before = allocations_read().allocations
        if mode == .memory { allocations_start() }
        let start = Self.processorTime
        body(&scheduler)
        let elapsed = Self.processorTime - start
        allocations_stop()
        guard let operation else { return }
        var cost = costs[operation] ?? CoreCost()
        cost.events += events
        cost.nanoseconds += elapsed
        cost.allocations += allocations_read().allocations - before
        costs[operation] = cost
    }
}
