// SPDX-License-Identifier: Apache-2.0

extension Study {
    /// All results as a JSON document.
    public var json: JSONValue {
        .object([
            .init("least_late_share", .number(leastLateShare)),
            .init("least_late_share_unmetered", .number(leastLateShareUnmetered)),
            .init("policies", .list(lines.map { json(of: $0) })),
        ])
    }

    private func json(of line: Line) -> JSONValue {
        .object([
            .init("name", .text(line.name)),
            .init(
                "devices",
                .list(zip(devices, line.devices).map { .object([.init("device", .text($0))] + $1.jsonPairs) })),
            .init("pooled", .object(line.pooled.jsonPairs + intervals(of: line))),
        ])
    }

    private func intervals(of line: Line) -> [JSONValue.Pair] {
        func interval(_ key: String, _ range: ClosedRange<Double>?) -> JSONValue.Pair {
            .init(key, range.map { .list([.number($0.lowerBound), .number($0.upperBound)]) } ?? .null)
        }
        return [
            interval("late_share_interval", line.lateShareInterval),
            interval("on_time_cost_per_mb_interval", line.costInterval),
            interval("late_share_difference_interval", line.lateShareDifference),
            interval("on_time_cost_per_mb_difference_interval", line.costDifference),
        ]
    }
}

extension Summary {
    /// The figures by their stable names. Of the optimum nothing is known that single jobs would tell.
    var jsonPairs: [JSONValue.Pair] {
        amounts + (isOptimum ? [] : counts)
    }

    private var amounts: [JSONValue.Pair] {
        [
            .init("jobs", .whole(jobs)),
            .init("offered_bytes", .number(offeredBytes)),
            .init("on_time_bytes", Self.byClass(onTimeBytes)),
            .init("late_bytes", .number(lateBytes)),
            .init("undone_bytes", .number(undoneBytes)),
            .init("late_share", .number(lateShare)),
            .init("on_time_cost_per_mb", .optional(onTimeCostPerMegabyte)),
            .init("cost_with_penalty", .number(costWithPenalty)),
            .init("optimal_cost", .number(optimalCost)),
            .init("regret_per_mb", .optional(regretPerMegabyte)),
            .init("span_s", .number(span)),
            .init("unknown_s", .number(unknownTime)),
        ]
    }

    private var counts: [JSONValue.Pair] {
        [
            .init("done", .whole(done)),
            .init("missed", .whole(missed)),
            .init("activations", .whole(activations)),
            .init("starts", .whole(starts)),
            .init("stops", .whole(stops)),
            .init("late_bytes_by_class", Self.byClass(lateBytesByClass)),
            .init("delay_p50_s", .optional(delay(atShare: 0.5))),
            .init("delay_p90_s", .optional(delay(atShare: 0.9))),
            .init("delay_p95_s", .optional(delay(atShare: 0.95))),
            .init("delay_p99_s", .optional(delay(atShare: 0.99))),
            .init("slack_used_p50", .optional(slackUsed(atShare: 0.5))),
            .init("slack_used_p95", .optional(slackUsed(atShare: 0.95))),
            .init("longest_starvation_s", .number(longestStarvation)),
            .init("app_fairness", .optional(fairness)),
            .init("active_s", Self.shares(activeTime)),
            .init("tail_s", Self.shares(tailTime)),
            .init("wakes", Self.shares(wakes)),
            .init("active_j", Self.shares(activeEnergy)),
            .init("tail_j", Self.shares(tailEnergy)),
            .init("wake_j", Self.shares(wakeEnergy)),
            .init("events", .whole(events)),
        ]
    }

    private static func byClass(_ values: [Double]) -> JSONValue {
        .object(CostClass.allCases.map { .init($0.name, .number(values[$0.rawValue])) })
    }

    private static func shares(_ value: DeviceOutcome.PowerShares) -> JSONValue {
        .object([.init("battery", .number(value.battery)), .init("wall", .number(value.wall))])
    }
}
