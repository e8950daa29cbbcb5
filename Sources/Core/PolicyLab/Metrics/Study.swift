// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// The results of several policies on the same devices.
///
/// ```swift
/// let study = Study(
///     [(name: "strict", outcomes: [outcome]), (name: "oracle", outcomes: nil)], devices: ["phone"],
///     optima: [Optimum(trace, jobs: jobs, settings: settings)], settings: settings, seed: 1)
/// for line in study.table().lines { print(line) }
/// ```
public struct Study: Sendable {
    /// The results of one policy.
    public struct Line: Sendable {
        /// The policy's name as the user gave it.
        public var name: String
        /// The results of each device, in the order of ``Study/devices``. Empty if only totals are known.
        public var devices: [Summary]
        /// The results of all devices together.
        public var pooled: Summary
        /// The 95 % confidence interval of the share of late bytes, by the Poisson bootstrap over devices; `nil` for a
        /// single device.
        public var lateShareInterval: ClosedRange<Double>?
        /// The 95 % confidence interval of the cost of on-time bytes per 10⁶ submitted bytes; `nil` for a single
        /// device.
        public var costInterval: ClosedRange<Double>?
        /// The 95 % confidence interval of the difference in the share of late bytes from the first policy, on the
        /// same devices.
        public var lateShareDifference: ClosedRange<Double>?
        /// The 95 % confidence interval of the difference in cost from the first policy, on the same devices.
        public var costDifference: ClosedRange<Double>?
    }

    /// The names of the devices, in order. Empty if only totals are known.
    public private(set) var devices: [String] = []
    /// The number of devices.
    public let deviceCount: Int
    /// The results by policy, in the order in which the user named the policies.
    public private(set) var lines: [Line] = []
    /// The lowest possible share of late bytes, 0…1.
    public private(set) var leastLateShare = 0.0
    /// The lowest possible share of late bytes without metered networks, 0…1.
    public private(set) var leastLateShareUnmetered = 0.0
    /// The shortest and the longest time from a job's arrival to its deadline, in seconds; `nil` if no job has a
    /// deadline, or no policy was replayed.
    public private(set) var deadlines: ClosedRange<Double>?
    /// The coverage of the study's traces; `nil` if no policy was replayed.
    public let coverage: Coverage?
    /// A sentence about the best policy at the price of late bytes in the settings, its lead over the next policy, and
    /// the prices at which others are better; `nil` if fewer than two policies were replayed.
    public let conclusion: String?

    /// The input for one policy: its name and its outcomes by device. An outcome of `nil` stands for the optimum.
    public typealias Result = (name: String, outcomes: [DeviceOutcome]?)

    /// Creates a study from the outcomes of several policies.
    ///
    /// - Parameters:
    ///   - results: The outcomes, one element per policy.
    ///   - devices: The names of the devices.
    ///   - optima: The optimum of each device. All arrays of outcomes, `devices`, and `optima` must have the same count
    ///     and order: a policy with fewer outcomes than optima is a programming error and stops the program.
    ///   - settings: The settings of the replays.
    ///   - seed: The seed of the draws for the confidence intervals.
    public init(_ results: [Result], devices: [String], optima: [Optimum], settings: ReplaySettings, seed: UInt64) {
        var totals = StudyTotals(replayed: results.map { $0.outcomes != nil }, seed: seed, exactLimit: .max)
        for (index, device) in devices.enumerated() {
            let single = StudyTotals(
                device: device, results.map { $0.outcomes?[index] }, optimum: optima[index], settings: settings,
                exactLimit: .max)
            totals.add(device: device, single, settings: settings)
        }
        self.init(totals, policies: results.map(\.name), settings: settings)
        self.devices = devices
        let reference = results.lazy.compactMap(\.outcomes).first ?? []
        for (number, result) in results.enumerated() {
            lines[number].devices = optima.indices.map { index in
                if let outcomes = result.outcomes {
                    return Summary([outcomes[index]], optima: [optima[index]], settings: settings)
                }
                let matching = reference.isEmpty ? [] : [reference[index]]
                let other = Summary(matching, optima: [optima[index]], settings: settings)
                return Summary([optima[index]], matching: other, settings: settings)
            }
        }
    }

    /// Creates a study of totals, without the results of single devices.
    ///
    /// - Parameters:
    ///   - totals: The totals of all devices, by policy.
    ///   - policies: The names of the policies, in the order of the totals.
    ///   - settings: The settings of the replays.
    package init(_ totals: StudyTotals, policies: [String], settings: ReplaySettings) {
        deviceCount = totals.devices.count
        let optimum = totals.optimum
        let offered = optimum.sums.units(.offeredBytes)
        if offered > 0 {
            leastLateShare = optimum.sums.units(.leastLateBytes) / offered
            leastLateShareUnmetered = optimum.sums.units(.leastLateBytesUnmetered) / offered
        }
        let reference = totals.lines.lazy.compactMap { $0 }.first.map {
            Summary($0, optimum: optimum, settings: settings)
        }
        coverage = reference.flatMap {
            Coverage(
                span: $0.span, unknown: $0.unknownTime, devices: totals.devices.count, insufficient: totals.insufficient
            )
        }
        if let least = totals.shortestDeadline, let most = totals.longestDeadline {
            deadlines = Double(least) / 1e9...Double(max(least, most)) / 1e9
        }
        let lines = zip(policies, totals.lines).enumerated().map { index, pair in
            let empty = Summary([], optima: [], settings: settings)
            let pooled =
                pair.1.map { Summary($0, optimum: optimum, settings: settings) }
                ?? Summary(optimum, matching: reference ?? empty, settings: settings)
            return Line(
                name: pair.0, devices: [], pooled: pooled,
                lateShareInterval: totals.interval(of: .lateShare, policy: index),
                costInterval: totals.interval(of: .cost, policy: index),
                lateShareDifference: index > 0 ? totals.interval(of: .lateShare, policy: index, minus: 0) : nil,
                costDifference: index > 0 ? totals.interval(of: .cost, policy: index, minus: 0) : nil)
        }
        self.lines = lines
        let (penalty, replayed) = (settings.penalty, lines.indices.filter { !lines[$0].pooled.isOptimum })
        let results = replayed.map { index in
            let pooled = lines[index].pooled
            return Conclusion.Result(
                name: lines[index].name, late: pooled.lateShare, cost: pooled.onTimeCostPerMegabyte ?? 0)
        }
        conclusion = Conclusion(results: results, price: penalty).sentence {
            totals.interval(of: .total(price: penalty), policy: replayed[$0], minus: replayed[$1])
        }
    }

    /// A Boolean value that indicates whether the quantiles of delays are exact.
    public var hasExactQuantiles: Bool { lines.allSatisfy { $0.pooled.delays.isExact && $0.pooled.slackUsed.isExact } }
}

/// Confidence intervals by resampling devices with replacement. All policies use the same draws, so that they can be
/// compared.
///
/// ```swift
/// let bootstrap = Bootstrap(devices: sums.count, seed: 1)
/// let interval = bootstrap.interval { draw in draw.reduce(0) { $0 + sums[$1] } }
/// ```
public struct Bootstrap: Sendable {
    /// The indices of the devices in each draw.
    private let draws: [[Int]]

    /// Creates draws of `count` devices each.
    ///
    /// - Parameters:
    ///   - count: The number of devices. With fewer than two devices, there are no draws.
    ///   - draws: The number of draws. Default: 1000.
    ///   - seed: The seed of the draws. Equal seeds and counts give equal draws.
    public init(devices count: Int, draws: Int = 1000, seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        // With a single device, all draws would be the same.
        self.draws = (0..<(count < 2 ? 0 : draws)).map { _ in
            (0..<count).map { _ in Int.random(in: 0..<count, using: &generator) }
        }
    }

    /// Returns the middle 95 % of a statistic over all draws; `nil` if there are fewer than two devices.
    ///
    /// - Parameter statistic: Computes the statistic for a list of devices, in which a device may appear several times.
    ///   A `nil` result is ignored.
    public func interval(_ statistic: ([Int]) -> Double?) -> ClosedRange<Double>? {
        let values = draws.compactMap(statistic).sorted()
        guard let first = Summary.quantile(values, 0.025), let last = Summary.quantile(values, 0.975) else {
            return nil
        }
        return first...last
    }
}
