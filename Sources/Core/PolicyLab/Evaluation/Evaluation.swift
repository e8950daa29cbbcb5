// SPDX-License-Identifier: Apache-2.0

/// A comparison of policies over many workloads, deadlines, and prices of lateness, on devices that did not choose the
/// policy.
///
/// A policy that is the best of many on the same days that it was chosen on looks better than it is. An evaluation
/// therefore chooses for each device by the other devices alone, and scores the choice on the device that was left out.
/// All differences are paired: between policies on the same device and the same workloads. Intervals draw devices with
/// replacement, because workloads of one device resemble each other.
///
/// ```swift
/// let evaluation = Evaluation(
///     devices, policies: ["unmetered", "horizon"], deadlines: [.seconds(86_400)], prices: [100], reference: 0, seed: 1)
/// for table in evaluation.tables { print(table.table.lines) }
/// ```
public struct Evaluation: Sendable {
    /// The names of the policies.
    public let policies: [String]
    /// The times from arrival to deadline.
    public let deadlines: [Duration]
    /// The prices of a late megabyte.
    public let prices: [Double]
    /// The index of the policy with which all others are compared.
    public let reference: Int
    let devices: [DeviceEvaluation]
    private let bootstrap: Bootstrap

    /// Creates an evaluation from the results of each device.
    ///
    /// - Parameters:
    ///   - devices: The results, all with the same policies, deadlines, and prices in the given order.
    ///   - policies: The names of the policies.
    ///   - deadlines: The times from arrival to deadline.
    ///   - prices: The prices of a late megabyte.
    ///   - reference: The index of the policy with which all others are compared.
    ///   - seed: The seed of the draws for intervals.
    public init(
        _ devices: [DeviceEvaluation], policies: [String], deadlines: [Duration], prices: [Double], reference: Int,
        seed: UInt64
    ) {
        self.devices = devices
        self.policies = policies
        self.deadlines = deadlines
        self.prices = prices
        self.reference = reference
        bootstrap = Bootstrap(devices: devices.count, seed: seed)
    }

    // MARK: Sums

    /// Returns the pooled sums of a policy.
    func sums(of policy: Int, deadline: Int) -> DeviceEvaluation.Sums {
        devices.reduce(into: DeviceEvaluation.Sums()) { $0.add($1.sums[deadline][policy]) }
    }

    /// Returns the regret per megabyte of a choice of a policy for each device, pooled over a list of devices.
    ///
    /// - Parameters:
    ///   - choice: The policy by device.
    ///   - deadline: The index of the deadline; `nil` for the mean of all deadlines.
    func regret(_ choice: [Int], deadline: Int?, price: Int, among list: [Int]) -> Double {
        guard let deadline else {
            let all = deadlines.indices.map { self.regret(choice, deadline: $0, price: price, among: list) }
            return all.reduce(0, +) / Double(max(1, all.count))
        }
        var (regret, offered) = (0.0, 0.0)
        for index in list {
            let sums = devices[index].sums[deadline][choice[index]]
            regret += sums.total(price: prices[price]) - devices[index].optima[deadline][price]
            offered += sums.offered
        }
        return offered > 0 ? regret / offered : 0
    }

    /// Returns the same policy for each device.
    func everywhere(_ policy: Int) -> [Int] { Array(repeating: policy, count: devices.count) }

    var all: [Int] { Array(devices.indices) }

    // MARK: Choices

    /// A choice of policies, and its result on devices that did not take part in it.
    public struct Choice: Sendable {
        /// The index of the policy that is best on all devices together.
        public var best: Int
        /// The policy by device that is best on all other devices.
        public var leftOut: [Int]
    }

    /// Returns the policies with the least regret at a price, on average over all deadlines.
    public func choice(price: Int) -> Choice {
        Choice(
            best: best(price: price, among: all),
            leftOut: devices.indices.map { device in best(price: price, among: all.filter { $0 != device }) })
    }

    private func best(price: Int, among list: [Int]) -> Int {
        let regrets = policies.indices.map { regret(everywhere($0), deadline: nil, price: price, among: list) }
        return policies.indices.min { (regrets[$0], $0) < (regrets[$1], $1) } ?? reference
    }

    // MARK: Comparisons

    /// The regret per megabyte of a choice of policies, and its difference from another choice.
    struct Comparison {
        var regret: Double
        var difference: Double
        /// The 95 % interval of the difference; `nil` for a single device.
        var interval: ClosedRange<Double>?
    }

    /// Compares a choice of a policy for each device.
    ///
    /// - Parameters:
    ///   - choice: The policy by device.
    ///   - other: The policy that the choice is compared with; `nil` for the reference.
    ///   - deadline: The index of the deadline; `nil` for the mean of all deadlines.
    func comparison(_ choice: [Int], with other: Int? = nil, deadline: Int? = nil, price: Int) -> Comparison {
        let other = everywhere(other ?? reference)
        func difference(_ list: [Int]) -> Double {
            regret(choice, deadline: deadline, price: price, among: list)
                - regret(other, deadline: deadline, price: price, among: list)
        }
        return Comparison(
            regret: regret(choice, deadline: deadline, price: price, among: all), difference: difference(all),
            interval: choice == other ? nil : bootstrap.interval(difference))
    }

    /// A sentence about the best policy at the price in the middle of all prices, on average over the deadlines, its
    /// lead over the next policy, and the prices at which others are better; `nil` if there are fewer than two policies.
    public var conclusion: String? {
        let price = prices.indices.sorted { prices[$0] < prices[$1] }[prices.count / 2]
        let results = policies.indices.map { policy -> Conclusion.Result in
            let sums = deadlines.indices.map { self.sums(of: policy, deadline: $0) }
            func mean(_ value: (DeviceEvaluation.Sums) -> Double) -> Double {
                sums.reduce(0) { $0 + value($1) / max($1.offered, 1e-12) } / Double(max(1, sums.count))
            }
            return Conclusion.Result(name: policies[policy], late: mean(\.late), cost: mean(\.cost))
        }
        return Conclusion(results: results, price: prices[price]).sentence { policy, other in
            comparison(everywhere(policy), with: other, price: price).interval
        }
    }

    /// The prices of lateness at which a policy is better than the reference.
    public enum BreakEven: Hashable, Sendable {
        case always
        case never
        case above(Double)
        case below(Double)
        /// Both policies have equal bytes and costs.
        case equal
    }

    /// Returns the prices at which a policy costs less than the reference.
    public func breakEven(of policy: Int, deadline: Int) -> BreakEven {
        let (own, other) = (sums(of: policy, deadline: deadline), sums(of: reference, deadline: deadline))
        let (cost, late) = (own.cost - other.cost, own.late - other.late)
        let least = 1e-9 * max(1, own.offered)
        if cost.magnitude < least, late.magnitude < least { return .equal }
        if late.magnitude < least { return cost < 0 ? .always : .never }
        let price = -cost / late
        if late < 0 { return price <= 0 ? .always : .above(price) }
        return price <= 0 ? .never : .below(price)
    }
}
