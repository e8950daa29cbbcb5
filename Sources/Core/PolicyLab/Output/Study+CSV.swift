// SPDX-License-Identifier: Apache-2.0

extension Study {
    /// All results as comma-separated values: a line for each policy and device, and one for all devices, named `*`.
    public var csv: String {
        var lines: [String] = []
        for line in self.lines {
            for (device, summary) in zip(devices + ["*"], line.devices + [line.pooled]) {
                let pairs = summary.csvPairs
                if lines.isEmpty { lines.append((["policy", "device"] + pairs.map(\.key)).joined(separator: ",")) }
                let names = [CSVText.field(line.name), CSVText.field(device)]
                lines.append((names + pairs.map(\.text)).joined(separator: ","))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Summary {
    /// The figures in one row; empty where there is none.
    fileprivate var csvPairs: [(key: String, text: String)] {
        func text(_ value: Double?) -> String { value.map { $0.isFinite ? "\($0)" : "" } ?? "" }
        func count(_ value: Int) -> String { isOptimum ? "" : "\(value)" }
        let classes = CostClass.allCases.map { ("on_time_bytes_\($0.name)", text(onTimeBytes[$0.rawValue])) }
        return [("jobs", "\(jobs)"), ("offered_bytes", text(offeredBytes))] + classes + [
            ("late_bytes", text(lateBytes)), ("undone_bytes", text(undoneBytes)), ("late_share", text(lateShare)),
            ("on_time_cost_per_mb", text(onTimeCostPerMegabyte)), ("cost_with_penalty", text(costWithPenalty)),
            ("optimal_cost", text(optimalCost)), ("regret_per_mb", text(regretPerMegabyte)),
            ("done", count(done)), ("missed", count(missed)), ("activations", count(activations)),
            ("starts", count(starts)), ("stops", count(stops)),
            ("delay_p50_s", text(delay(atShare: 0.5))), ("delay_p90_s", text(delay(atShare: 0.9))),
            ("delay_p95_s", text(delay(atShare: 0.95))), ("delay_p99_s", text(delay(atShare: 0.99))),
            ("slack_used_p50", text(slackUsed(atShare: 0.5))), ("slack_used_p95", text(slackUsed(atShare: 0.95))),
            ("longest_starvation_s", isOptimum ? "" : text(longestStarvation)), ("app_fairness", text(fairness)),
            ("active_battery_s", isOptimum ? "" : text(activeTime.battery)),
            ("active_wall_s", isOptimum ? "" : text(activeTime.wall)),
            ("tail_battery_s", isOptimum ? "" : text(tailTime.battery)),
            ("tail_wall_s", isOptimum ? "" : text(tailTime.wall)),
            ("wakes_battery", isOptimum ? "" : text(wakes.battery)), ("wakes_wall", isOptimum ? "" : text(wakes.wall)),
            ("active_battery_j", isOptimum ? "" : text(activeEnergy.battery)),
            ("active_wall_j", isOptimum ? "" : text(activeEnergy.wall)),
            ("tail_battery_j", isOptimum ? "" : text(tailEnergy.battery)),
            ("tail_wall_j", isOptimum ? "" : text(tailEnergy.wall)),
            ("wake_battery_j", isOptimum ? "" : text(wakeEnergy.battery)),
            ("wake_wall_j", isOptimum ? "" : text(wakeEnergy.wall)),
            ("span_s", text(span)), ("unknown_s", text(unknownTime)), ("events", count(events)),
        ]
    }
}
