// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The results of any number of devices under several policies, in constant memory.
///
/// Totals are added device by device and merged in any order and grouping: all sums are whole numbers, quantiles come
/// from bins that add up, and intervals from draws that add up.
package struct StudyTotals: Hashable, Sendable, Codable {
    /// The devices.
    package private(set) var devices = DeviceSet()
    /// The number of devices whose traces record too little of the time.
    private(set) var insufficient = 0
    package private(set) var optimum = OptimumTotals()
    /// The outcomes by policy; `nil` for the optimum.
    package private(set) var lines: [OutcomeTotals?]
    /// The shortest time from a job's arrival to its deadline, in nanoseconds; `nil` if no job has a deadline.
    private(set) var shortestDeadline: Int64?
    /// The longest time from a job's arrival to its deadline, in nanoseconds.
    private(set) var longestDeadline: Int64?
    /// The draws for intervals. `nil` for a single device, whose draws follow from its name.
    private var draws: PoissonDraws?

    /// A Boolean value that indicates whether the totals have draws for intervals.
    package var hasDraws: Bool { draws != nil }

    /// Creates totals of no device.
    ///
    /// - Parameters:
    ///   - policies: For each policy, whether it is replayed. The optimum is not.
    ///   - seed: The seed of the draws for intervals.
    ///   - exactLimit: The number of delays up to which their quantiles are exact.
    package init(replayed policies: [Bool], seed: UInt64, exactLimit: Int = ValueDistribution.partLimit) {
        lines = policies.map { $0 ? OutcomeTotals(exactLimit: exactLimit) : nil }
        draws = PoissonDraws(columns: 1 + 2 * policies.count, seed: seed)
    }

    /// Creates the totals of one device.
    ///
    /// - Parameters:
    ///   - name: The name of the device.
    ///   - outcomes: The outcomes by policy; `nil` for the optimum.
    ///   - optimum: The optimum of the device.
    ///   - settings: The settings of the replays.
    package init(
        device name: String, _ outcomes: [DeviceOutcome?], optimum: Optimum, settings: ReplaySettings,
        exactLimit: Int = ValueDistribution.partLimit
    ) {
        devices.insert(StableHash(name))
        self.optimum.add(optimum)
        lines = outcomes.map { outcome in
            outcome.map { outcome in
                var totals = OutcomeTotals(exactLimit: exactLimit)
                totals.add(outcome, wifiRate: settings.wifiRate)
                return totals
            }
        }
        guard let reference = outcomes.lazy.compactMap({ $0 }).first else { return }
        let coverage = Coverage.Device(span: reference.span, unknown: reference.unknownTime)
        if coverage.isInsufficient { insufficient = 1 }
        let times = reference.jobs.compactMap { job in
            job.deadline.map { job.arrival.duration(to: $0).wholeNanoseconds }
        }
        (shortestDeadline, longestDeadline) = (times.min(), times.max())
    }

    /// Adds one device.
    ///
    /// - Parameters:
    ///   - name: The device's name, which decides its weights in the draws.
    ///   - totals: The totals of the device alone.
    package mutating func add(device name: String, _ totals: StudyTotals, settings: ReplaySettings) {
        mergeSums(of: totals)
        draws?.add(StableHash(name), totals.drawnValues(settings))
    }

    /// Adds the totals of other devices.
    package mutating func merge(_ other: StudyTotals) {
        mergeSums(of: other)
        if let others = other.draws { draws?.merge(others) }
    }

    /// Returns whether totals of the same policies have the same shape, so that they can be merged.
    package func matches(_ other: StudyTotals) -> Bool {
        lines.map { $0 == nil } == other.lines.map { $0 == nil }
            && (other.draws == nil || draws?.hasShape(of: other.draws) == true)
    }

    private mutating func mergeSums(of other: StudyTotals) {
        devices.merge(other.devices)
        insufficient += other.insufficient
        optimum.merge(other.optimum)
        for index in lines.indices {
            if let totals = other.lines[index] { lines[index]?.merge(totals) }
        }
        shortestDeadline = [shortestDeadline, other.shortestDeadline].compactMap { $0 }.min()
        longestDeadline = [longestDeadline, other.longestDeadline].compactMap { $0 }.max()
    }

    /// The values of a single device in the draws: the submitted bytes, and for each policy the bytes that were late or
    /// never arrived and the cost of the on-time bytes.
    private func drawnValues(_ settings: ReplaySettings) -> [Int128] {
        [optimum.sums[.offeredBytes]]
            + lines.flatMap { line -> [Int128] in
                guard let line else { return [optimum.lateOrUndone, optimum.onTimeCost(settings)] }
                return [line.lateOrUndone, line.onTimeCost(settings)]
            }
    }

    // MARK: Intervals

    /// The statistics of a policy of which intervals are stated.
    enum Statistic {
        /// The share of bytes that were late or never arrived.
        case lateShare
        /// The cost of the on-time bytes per 10⁶ submitted bytes.
        case cost
        /// The cost per 10⁶ submitted bytes with a price of late bytes.
        case total(price: Double)
    }

    /// Returns the 95 % interval of a policy's statistic, or of its difference from that of another policy. Returns
    /// `nil` if there are fewer than two devices.
    func interval(of statistic: Statistic, policy: Int, minus other: Int? = nil) -> ClosedRange<Double>? {
        guard devices.count > 1 else { return nil }
        func value(_ draw: ArraySlice<Int128>, _ policy: Int) -> Double? {
            let first = draw.startIndex
            guard draw[first] > 0 else { return nil }
            let late = Double(draw[first + 1 + 2 * policy]) / Double(draw[first])
            let cost = Double(draw[first + 2 + 2 * policy]) / (Double(draw[first]) / 1e6)
            switch statistic {
            case .lateShare: return late
            case .cost: return cost
            case .total(let price): return cost + price * late
            }
        }
        return draws?.interval { draw in
            guard let other else { return value(draw, policy) }
            return value(draw, policy).flatMap { mine in value(draw, other).map { mine - $0 } }
        }
    }
}

extension OutcomeTotals {
    /// Returns the cost of the on-time bytes in billionths.
    func onTimeCost(_ settings: ReplaySettings) -> Int128 {
        sums[.priceCost] + settings.cost(of: Measure.onTime.map { sums[$0] })
    }
}

extension OptimumTotals {
    /// Returns the cost of the on-time bytes in billionths.
    func onTimeCost(_ settings: ReplaySettings) -> Int128 {
        sums[.priceCost] + settings.cost(of: Measure.onTime.map { sums[$0] })
    }
}

extension ReplaySettings {
    /// Returns the cost of bytes by class, in billionths. The amounts are in 10⁻⁹ bytes.
    fileprivate func cost(of amounts: [Int128]) -> Int128 {
        zip(amounts, CostClass.allCases).reduce(0) { sum, amount in
            sum + Int128(billionthsOf: Amount(nanobytes: amount.0).bytes / 1e6 * cost(of: amount.1))
        }
    }
}
