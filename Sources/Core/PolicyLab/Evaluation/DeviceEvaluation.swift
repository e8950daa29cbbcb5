// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The results of several policies on one device, over many workloads and several deadlines.
public struct DeviceEvaluation: Hashable, Sendable {
    /// The bytes and costs of one policy with one deadline, summed over all workloads.
    public struct Sums: Hashable, Sendable {
        /// The number of megabytes of all jobs, 10⁶ bytes each.
        public var offered = 0.0
        /// The number of megabytes that were late or never arrived.
        public var late = 0.0
        /// The cost of the megabytes that were on time.
        public var cost = 0.0

        /// Creates empty sums.
        public init() {}

        mutating func add(_ other: Sums) {
            offered += other.offered
            late += other.late
            cost += other.cost
        }

        /// Returns the cost including the price of late megabytes.
        func total(price: Double) -> Double { cost + late * price }
    }

    /// The name of the device.
    public var device: String
    /// The sums by deadline, then by policy.
    public var sums: [[Sums]]
    /// The exact minimum cost by deadline, then by price of a late megabyte.
    public var optima: [[Double]]

    /// Replays a device.
    ///
    /// - Parameters:
    ///   - trace: The device's days.
    ///   - seeds: The seed of each generated workload.
    ///   - deadlines: The times from arrival to deadline, above zero.
    ///   - policies: The policies; not the optimum.
    ///   - prices: The prices of a late megabyte.
    ///   - settings: The settings of the replays. The penalty does not matter.
    public init(
        _ trace: Trace, seeds: [UInt64], deadlines: [Duration], policies: [LabPolicy], prices: [Double],
        settings: ReplaySettings
    ) {
        device = trace.device
        sums = Array(repeating: Array(repeating: Sums(), count: policies.count), count: deadlines.count)
        optima = Array(repeating: Array(repeating: 0, count: prices.count), count: deadlines.count)
        // With the highest price, the optimum has the corners of all lower prices.
        var dearest = settings
        dearest.penalty = prices.max() ?? settings.penalty
        for (index, deadline) in deadlines.enumerated() {
            for seed in seeds {
                let jobs = WorkloadGenerator.jobs(for: trace, seed: seed, deadline: deadline)
                guard !jobs.isEmpty else { continue }
                let optimum = Optimum(trace, jobs: jobs, settings: dearest)
                for (number, price) in prices.enumerated() { optima[index][number] += optimum.cost(price: price) }
                for (number, policy) in policies.enumerated() {
                    guard let rule = policy.policy else { continue }
                    var replay = Replay(trace, jobs: jobs, policy: rule, settings: settings)
                    let outcome = replay.run()
                    sums[index][number].add(Sums(outcome, settings))
                }
            }
        }
    }

    /// Joins the results of a device by deadline. The policies and prices are the same in all.
    public init(joining parts: some Collection<DeviceEvaluation>) {
        self.init(
            device: parts.first?.device ?? "", sums: parts.flatMap(\.sums), optima: parts.flatMap(\.optima))
    }

    /// Creates the results of a device from known sums and optima.
    init(device: String, sums: [[Sums]], optima: [[Double]]) {
        self.device = device
        self.sums = sums
        self.optima = optima
    }
}

extension Optimum {
    /// Returns the minimum cost at a price of late megabytes, which is at most the penalty of the optimum.
    ///
    /// The corners of the front are the optima of all prices, because each corner uses the cheapest classes first.
    func cost(price: Double) -> Double {
        front.map { $0.cost + (offeredBytes - $0.onTimeBytes) / 1e6 * price }.min() ?? 0
    }
}

extension DeviceEvaluation.Sums {
    fileprivate init(_ outcome: DeviceOutcome, _ settings: ReplaySettings) {
        offered = outcome.offeredBytes / 1e6
        late = (outcome.lateBytes + outcome.undoneBytes) / 1e6
        cost = zip(outcome.onTimeBytes, CostClass.allCases).reduce(outcome.priceCost) {
            $0 + $1.0 / 1e6 * settings.cost(of: $1.1)
        }
    }
}
