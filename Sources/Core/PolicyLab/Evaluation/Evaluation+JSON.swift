// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Evaluation {
    /// Returns the results as a JSON document: the protocol, the sums of each device, and all comparisons.
    ///
    /// - Parameters:
    ///   - order: The name of the order of transfers.
    ///   - bases: The seeds of the first device's workloads.
    public func json(order: String, bases: [UInt64]) -> JSONValue {
        .object([
            .init("devices", .list(devices.map { .text($0.device) })),
            .init("workload_bases", .list(bases.map { .whole(Int(clamping: $0)) })),
            .init("order", .text(order)),
            .init("policies", .list(policies.map { .text($0) })),
            .init("reference", .text(policies[reference])),
            .init("deadlines_s", .list(deadlines.map { .number($0.labSeconds) })),
            .init("prices", .list(prices.map { .number($0) })),
            .init("results", .list(results)),
            .init("mean_over_deadlines", .list(prices.indices.map { mean(price: $0) })),
        ])
    }

    private var results: [JSONValue] {
        deadlines.indices.flatMap { deadline in policies.indices.map { result($0, deadline) } }
    }

    private func result(_ policy: Int, _ deadline: Int) -> JSONValue {
        let pooled = sums(of: policy, deadline: deadline)
        let better: JSONValue =
            policy == reference ? .null : breakEven(of: policy, deadline: deadline).json
        let prices = prices.indices.map { price in
            json(
                comparison(everywhere(policy), deadline: deadline, price: price), price,
                isReference: policy == reference)
        }
        let devices = devices.map { device -> JSONValue in
            .object([.init("device", .text(device.device))] + device.sums[deadline][policy].json)
        }
        let head: [JSONValue.Pair] = [
            .init("deadline_s", .number(deadlines[deadline].labSeconds)), .init("policy", .text(policies[policy])),
        ]
        let comparisons: [JSONValue.Pair] = [
            .init("better_than_reference", better), .init("by_price", .list(prices)), .init("devices", .list(devices)),
        ]
        return .object(head + pooled.json + comparisons)
    }

    private func mean(price: Int) -> JSONValue {
        let choice = choice(price: price)
        let rows = policies.indices.map { policy -> JSONValue in
            let row = json(comparison(everywhere(policy), price: price), price, isReference: policy == reference)
            return .object([.init("policy", .text(policies[policy])), .init("regret", row)])
        }
        return .object([
            .init("price", .number(prices[price])), .init("policies", .list(rows)),
            .init("best", .text(policies[choice.best])),
            .init("chosen_without_device", .list(choice.leftOut.map { .text(policies[$0]) })),
            .init("chosen_regret", json(comparison(choice.leftOut, price: price), price, isReference: false)),
        ])
    }

    /// Returns a regret per megabyte with its difference from the reference. The reference has no difference.
    private func json(_ comparison: Comparison, _ price: Int, isReference: Bool) -> JSONValue {
        var pairs: [JSONValue.Pair] = [
            .init("price", .number(prices[price])), .init("regret_per_mb", .number(comparison.regret)),
        ]
        if !isReference {
            let range = comparison.interval.map { JSONValue.list([.number($0.lowerBound), .number($0.upperBound)]) }
            pairs += [
                .init("difference", .number(comparison.difference)), .init("difference_interval", range ?? .null),
            ]
        }
        return .object(pairs)
    }
}

extension DeviceEvaluation.Sums {
    fileprivate var json: [JSONValue.Pair] {
        [
            .init("offered_mb", .number(offered)), .init("late_mb", .number(late)),
            .init("on_time_cost", .number(cost)),
        ]
    }
}

extension Evaluation.BreakEven {
    /// The prices as an object with at most one bound.
    fileprivate var json: JSONValue {
        switch self {
        case .always: .object([.init("at", .text("every price"))])
        case .never: .object([.init("at", .text("no price"))])
        case .above(let price): .object([.init("above", .number(price))])
        case .below(let price): .object([.init("below", .number(price))])
        case .equal: .object([.init("at", .text("equal"))])
        }
    }
}
