// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The best possible result with knowledge of the future: the exact minimum cost of a device's days.
///
/// Let R_k be the maximum number of bytes that can be on time in the k cheapest cost classes (``CostClass``) alone, and
/// c_k the cost of a byte in the k-th class. With prices of energy, each class is divided by the price that came true. The times that can be
/// filled on time form a transversal matroid, so filling the cheapest class first is optimal. The minimum cost is the
/// sum of c_k (R_k − R_{k−1}), plus the penalty for the bytes that even all classes leave. To find R_k, the pending
/// job with the earliest deadline is served at every moment of an allowed class. Takes one sort and one pass per
/// class.
///
/// ```swift
/// let optimum = Optimum(trace, jobs: jobs, settings: ReplaySettings())
/// print(optimum.cost, optimum.leastLateShare)
/// ```
public struct Optimum: Hashable, Sendable, Codable {
    /// The number of on-time bytes in the optimum, by cost class.
    public private(set) var onTimeBytes: [Double]
    /// The number of bytes of all jobs.
    public private(set) var offeredBytes: Double
    /// The part of the cost of on-time bytes that follows from the price of energy.
    public private(set) var priceCost: Double
    /// The minimum cost, including the penalty for bytes that are not on time.
    public private(set) var cost: Double
    /// The share of all bytes that cannot be on time, 0…1.
    public var leastLateShare: Double { share(late: offeredBytes - onTimeBytes.reduce(0, +)) }
    /// The share of all bytes that cannot be on time without metered networks, 0…1.
    public let leastLateShareUnmetered: Double
    /// The Pareto front of late bytes and the cost of on-time bytes. Its corners lead from nothing on time to the
    /// maximum on time.
    public let front: [FrontPoint]

    /// A corner of the Pareto front.
    public struct FrontPoint: Hashable, Sendable, Codable {
        /// The share of all bytes that are late, 0…1.
        public var lateShare: Double
        /// The total cost of the on-time bytes.
        public var cost: Double
        /// The number of on-time bytes.
        public var onTimeBytes: Double
    }

    /// Computes the optimum of a device's days. A job without a deadline has until the end of the trace.
    public init(_ trace: Trace, jobs: [Job], settings: ReplaySettings) {
        let levels = settings.levels
        let sweep = DeadlineSweep(trace, jobs: jobs, levels, settings)
        let offered = Amount(nanobytes: jobs.reduce(0) { $0 + Amount(bytes: $1.bytes).nanobytes })
        var onTime = Array(repeating: Amount.zero, count: CostClass.allCases.count)
        var reached = Amount.zero
        var allowed = Array(repeating: false, count: levels.count)
        var (cost, priceCost) = (0.0, 0.0)
        var front = [FrontPoint(lateShare: 1, cost: 0, onTimeBytes: 0)]
        let all = offered.bytes
        for (number, level) in levels.enumerated() where level.cost <= settings.penalty {
            allowed[number] = true
            let most = sweep.occurs(number) ? sweep.maximumOnTime(in: allowed) : reached
            onTime[level.costClass.rawValue] += most - reached
            cost += (most - reached).bytes / 1e6 * level.cost
            priceCost += (most - reached).bytes / 1e6 * (level.price ?? 0) * settings.priceWeight
            reached = most
            let late = all > 0 ? (offered - most).bytes / all : 0
            front.append(FrontPoint(lateShare: late, cost: cost, onTimeBytes: most.bytes))
        }
        onTimeBytes = onTime.map(\.bytes)
        offeredBytes = all
        self.priceCost = priceCost
        self.cost = cost + (offered - reached).bytes / 1e6 * settings.penalty
        self.front = front
        let free = sweep.maximumOnTime(in: levels.map { !$0.costClass.isMetered })
        leastLateShareUnmetered = all > 0 ? (offered - free).bytes / all : 0
    }

    private func share(late: Double) -> Double { offeredBytes > 0 ? late / offeredBytes : 0 }
}

/// Serves the job with the earliest deadline first, at all moments of chosen levels.
struct DeadlineSweep {
    /// A period in which conditions and price do not change.
    private struct Period {
        var start: WallTime
        var end: WallTime
        /// The index of the level, or `nil` if no byte can move.
        var level: Int?
        /// The rate in bytes per second.
        var rate: Int64
    }

    private let periods: [Period]
    private let levels: Set<Int>
    private let end: WallTime
    /// The jobs in order of arrival.
    private let jobs: [Job]

    init(_ trace: Trace, jobs: [Job], _ levels: [CostLevel], _ settings: ReplaySettings) {
        let numbers = Dictionary(uniqueKeysWithValues: levels.enumerated().map { ($1.key, $0) })
        let curve = settings.prices?.settled
        periods = trace.segments.flatMap { segment in
            curve.pieces(from: segment.start, to: segment.end).map { start, end, price in
                let level = segment.costClass.flatMap { numbers[CostLevel.Key(costClass: $0, price: price)] }
                return Period(start: start, end: end, level: level, rate: settings.rate(of: segment))
            }
        }
        self.levels = Set(periods.compactMap(\.level))
        end = trace.end
        self.jobs = jobs.sorted { ($0.arrival, $0.id) < ($1.arrival, $1.id) }
    }

    /// Returns whether the trace has moments of a level.
    func occurs(_ level: Int) -> Bool { levels.contains(level) }

    /// Returns the maximum number of bytes that can be on time in the allowed levels.
    func maximumOnTime(in allowed: [Bool]) -> Amount {
        var pending = DeadlineHeap()
        var next = 0
        var served = Amount.zero
        for period in periods {
            var now = period.start
            let rate = period.level.map { allowed[$0] } == true ? period.rate : 0
            while now < period.end {
                while next < jobs.count, jobs[next].arrival <= now {
                    let amount = Amount(bytes: jobs[next].bytes)
                    if amount > .zero { pending.insert(until: jobs[next].deadline ?? end, amount) }
                    next += 1
                }
                var stop = period.end
                if next < jobs.count { stop = min(stop, jobs[next].arrival) }
                if rate > 0 { served += pending.serve(from: now, to: stop, rate: rate) }
                now = stop
            }
        }
        return served
    }
}

extension CostLevel {
    /// The class and the price, which identify a level.
    struct Key: Hashable {
        var costClass: CostClass
        var price: Double?
    }

    var key: Key { Key(costClass: costClass, price: price) }
}

extension Optional<PriceCurve> {
    /// Divides a period where the price changes. A part without a price, or everything without a curve, has the price
    /// `nil`; no level has a `nil` price if there is a curve, so nothing moves there.
    fileprivate func pieces(from start: WallTime, to end: WallTime) -> [(WallTime, WallTime, Double?)] {
        guard let curve = self else { return [(start, end, nil)] }
        var (pieces, date): ([(WallTime, WallTime, Double?)], WallTime) = ([], start)
        for segment in curve.segments[curve.index(endingAfter: start)...] {
            guard segment.start < end else { break }
            if segment.start > date { pieces.append((date, segment.start, nil)) }
            pieces.append((max(date, segment.start), min(segment.end, end), segment.price))
            date = min(segment.end, end)
        }
        if date < end { pieces.append((date, end, nil)) }
        return pieces
    }
}

/// The pending jobs, ordered by deadline.
private struct DeadlineHeap {
    private struct Item {
        var deadline: WallTime
        var remaining: Amount
    }
    private var items: [Item] = []

    mutating func insert(until deadline: WallTime, _ remaining: Amount) {
        items.append(Item(deadline: deadline, remaining: remaining))
        var child = items.count - 1
        while child > 0, items[child].deadline < items[(child - 1) / 2].deadline {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Serves the earliest deadlines in a period of time, and returns the amount served. A job is not served after
    /// its deadline.
    mutating func serve(from start: WallTime, to end: WallTime, rate: Int64) -> Amount {
        // The capacity of the period, of which `used` is consumed. Work is counted in amounts, so that no time is
        // lost to rounding between consecutive jobs.
        let length = end.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch
        let capacity = Amount(rate: rate, nanoseconds: length)
        var used = Amount.zero
        while used < capacity, let first = items.first {
            let left = min(length, first.deadline.nanosecondsSinceEpoch &- start.nanosecondsSinceEpoch)
            let room = left > 0 ? Amount(rate: rate, nanoseconds: left) - used : .zero
            guard room > .zero else {
                removeFirst()
                continue
            }
            let amount = min(first.remaining, room)
            used += amount
            items[0].remaining -= amount
            if items[0].remaining == .zero { removeFirst() }
        }
        return used
    }

    private mutating func removeFirst() {
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < items.count && items[child].deadline < items[least].deadline {
                least = child
            }
            guard least != parent else { return }
            items.swapAt(parent, least)
            parent = least
        }
    }
}
