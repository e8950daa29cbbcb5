// SPDX-License-Identifier: Apache-2.0
import CxxQueue
import Foundation
import TransferModel
import TransferPolicy
import TransferScheduling

/// Measures simulated events: a bare event loop, and the same customers as transfers in the scheduler with its
/// policy.
///
/// The model has 64 servers with random arrivals and service times (M/M/64), first come, first served. EventLoop.cpp
/// is the loop's counterpart in C++. All simulations must produce the same waiting times in the same order, or else
/// their times are meaningless.
enum LabEvents {
    private static let servers = 64
    private static let meanService = 60e9
    private static let meanGap = meanService / (Double(servers) * 0.95)

    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        let customers: Int64 = options.isQuick ? 100_000 : 500_000
        try check(customers: 20_000)
        var seconds: [[Double]] = [[], [], []]
        for round in 0...options.rounds {
            let seed = UInt64(2026 + round)
            let runs = [
                time { loop(seed, customers) }, time { cxq_simulate_loop(seed, customers) },
                time { engine(seed, customers) },
            ]
            // The first round is a warm-up.
            for index in runs.indices where round > 0 { seconds[index].append(runs[index]) }
        }
        let nanos = seconds.map { Spread($0)?.map { $0 * 1e9 / Double(2 * customers) } }
        func result(_ name: String, _ ours: Spread?, _ peer: String, _ theirs: Spread?, _ bar: Double?)
            -> BenchmarkResult
        {
            BenchmarkResult(
                name: "lab-events \(name)", ours: ours, unit: "ns an event", peer: peer, theirs: theirs, bar: bar)
        }
        var results = [
            result("bare loop", nanos[0], "C++", nanos[1], 1 / 0.9),
            result("scheduler and policy", nanos[2], "C++ bare loop", nanos[1], nil),
            BenchmarkResult(
                name: "lab-events scheduler and policy", ours: nanos[2], unit: "ns an event", bar: 200,
                isBarAbsolute: true),
        ]
        for (name, module, bar) in [("SimPy", "simpy", 0.02), ("salabim", "salabim", nil)] {
            let theirs = try python(module, options)
            results.append(result("bare loop", nanos[0], name, theirs, bar))
            results.append(result("scheduler and policy", nanos[2], name, theirs, bar))
        }
        return results
    }

    /// Returns the processor time of this thread in seconds.
    static func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func time(_ body: () -> cxq_simulation) -> Double {
        let start = threadTime()
        let result = body()
        let end = threadTime()
        precondition(result.events > 0)
        return end - start
    }

    private static func check(customers: Int64) throws {
        let all = [loop(1, customers), cxq_simulate_loop(1, customers), engine(1, customers)]
        for (index, one) in all.enumerated() {
            guard one.events == all[0].events, one.waited == all[0].waited, one.order == all[0].order else {
                throw BenchmarkError("the simulations differ: \(all[0]) and \(one) (number \(index))")
            }
        }
    }

    // MARK: Our simulations

    private struct Departure {
        var time: Int64
        var customer: Int64

        static func < (left: Departure, right: Departure) -> Bool {
            left.time != right.time ? left.time < right.time : left.customer < right.customer
        }
    }

    /// A heap of departures, with the earliest first.
    private struct Departures {
        private var items: [Departure] = []

        var first: Departure? { items.first }
        var isEmpty: Bool { items.isEmpty }

        mutating func insert(_ item: Departure) {
            items.append(item)
            items.withUnsafeMutableBufferPointer { items in
                var child = items.count - 1
                while child > 0, item < items[(child - 1) / 2] {
                    items[child] = items[(child - 1) / 2]
                    child = (child - 1) / 2
                }
                items[child] = item
            }
        }

        mutating func removeFirst() {
            let item = items.removeLast()
            items.withUnsafeMutableBufferPointer { items in
                guard !items.isEmpty else { return }
                var (parent, child) = (0, 1)
                while child < items.count {
                    if child + 1 < items.count, items[child + 1] < items[child] { child += 1 }
                    guard items[child] < item else { break }
                    items[parent] = items[child]
                    parent = child
                    child = 2 * parent + 1
                }
                items[parent] = item
            }
        }
    }

    private static func draw(_ mean: Double, _ chance: inout SplitMix64) -> Int64 {
        Int64(-mean * log(1 - Double(chance.next() >> 11) * 0x1p-53)) + 1
    }

    private static func served(_ customer: Int64, waited: Int64, _ total: inout cxq_simulation) {
        total.waited += waited
        total.order = (total.order ^ UInt64(bitPattern: customer)) &* 1_099_511_628_211
    }

    private static func loop(_ seed: UInt64, _ customers: Int64) -> cxq_simulation {
        var chance = SplitMix64(seed: seed)
        var departures = Departures()
        var total = cxq_simulation(events: 0, waited: 0, order: 14_695_981_039_346_656_037)
        // The waiting customers begin at `head`. Earlier elements are removed from time to time.
        var waiting: [(customer: Int64, since: Int64)] = []
        var (head, arrived, busy) = (0, Int64(0), 0)
        var arrival = draw(meanGap, &chance)
        func serve(_ customer: Int64, since: Int64, at now: Int64) {
            served(customer, waited: now - since, &total)
            departures.insert(Departure(time: now + draw(meanService, &chance), customer: customer))
        }
        while arrived < customers || !departures.isEmpty {
            total.events += 1
            if arrived < customers, departures.first.map({ arrival <= $0.time }) ?? true {
                let now = arrival
                if busy < servers {
                    busy += 1
                    serve(arrived, since: now, at: now)
                } else {
                    waiting.append((arrived, now))
                }
                arrived += 1
                arrival = now + draw(meanGap, &chance)
            } else if let departure = departures.first {
                departures.removeFirst()
                if head == waiting.count {
                    busy -= 1
                } else {
                    let next = waiting[head]
                    head += 1
                    if head == 1024 {
                        waiting.removeFirst(head)
                        head = 0
                    }
                    serve(next.customer, since: next.since, at: departure.time)
                }
            }
        }
        return total
    }

    private static var configuration: SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = servers
        configuration.slotsPerHost = servers
        configuration.slotsPerApp = servers
        configuration.slotsPerSession = servers
        configuration.staggeredStartJitter = .zero
        return configuration
    }

    private static func engine(_ seed: UInt64, _ customers: Int64) -> cxq_simulation {
        let epoch: Int64 = 1_800_000_000_000_000_000
        func clockReading(_ now: Int64) -> ClockReading {
            ClockReading(instant: Instant(nanoseconds: now), wall: WallTime(nanosecondsSinceEpoch: epoch + now))
        }
        var scheduler = Scheduler(configuration: configuration, policy: PatiencePolicy(), startingAt: clockReading(0))
        var generator = SplitMix64(seed: 1)
        var effects: [Effect] = []
        var conditions = Conditions(unknownSince: clockReading(0))
        conditions.power.value = .ac
        conditions.network.value = .full
        conditions.linkKind.value = .wifi
        conditions.metered.value = .no
        scheduler.apply(.conditionsChanged(conditions), at: clockReading(0), using: &generator, into: &effects)

        var chance = SplitMix64(seed: seed)
        var departures = Departures()
        var total = cxq_simulation(events: 0, waited: 0, order: 14_695_981_039_346_656_037)
        var since: [Int64] = []
        since.reserveCapacity(Int(customers))
        var arrival = draw(meanGap, &chance)
        func perform(at now: Int64) {
            for case .start(let id) in effects {
                served(id.rawValue, waited: now - since[Int(id.rawValue)], &total)
                departures.insert(Departure(time: now + draw(meanService, &chance), customer: id.rawValue))
            }
            effects.removeAll(keepingCapacity: true)
        }
        var traits = TransferTraits(
            kind: .discretionary, constraints: Constraints(), priority: 500, host: "https://example.org:443",
            app: "org.example.application", submitted: clockReading(0).wall)
        effects.removeAll(keepingCapacity: true)
        while since.count < Int(customers) || !departures.isEmpty {
            total.events += 1
            if since.count < Int(customers), departures.first.map({ arrival <= $0.time }) ?? true {
                let now = clockReading(arrival)
                traits.submitted = now.wall
                traits.constraints.deadline = DeadlineConstraint(
                    WallTime(nanosecondsSinceEpoch: epoch + arrival + 86_400_000_000_000))
                let id = TransferID(Int64(since.count))
                since.append(arrival)
                scheduler.submit(id, traits, at: now, using: &generator, into: &effects)
                perform(at: arrival)
                arrival += draw(meanGap, &chance)
            } else if let departure = departures.first {
                departures.removeFirst()
                scheduler.apply(
                    .finished(TransferID(departure.customer)), at: clockReading(departure.time), using: &generator,
                    into: &effects)
                perform(at: departure.time)
            }
        }
        return total
    }
}
