// SPDX-License-Identifier: Apache-2.0

/// The metrics of a summary under their stable names, as JSON and as a row of comma-separated values.
struct SummaryMetrics {
    /// A metric with one value, or with one value per cost class or power source.
    private struct Metric {
        var name: String
        /// The end of the name.
        var unit = ""
        var value: JSONValue

        init(_ name: String, unit: String = "", _ value: JSONValue) {
            (self.name, self.unit, self.value) = (name, unit, value)
        }

        var json: JSONValue.Pair { .init(name + unit, value) }

        /// The metric's columns. The text of an unknown value is empty.
        var csv: [(key: String, text: String)] {
            guard case .object(let members) = value else { return [(name + unit, Self.text(value))] }
            return members.map { ("\(name)_\($0.key)\(unit)", Self.text($0.value)) }
        }

        private static func text(_ value: JSONValue) -> String {
            switch value {
            case .whole(let value): "\(value)"
            case .number(let value) where value.isFinite: "\(value)"
            default: ""
            }
        }
    }

    private let amounts: [Metric]
    private let spans: [Metric]
    /// The metrics of single jobs, which the optimum does not have.
    private let counts: [Metric]
    private let events: Metric
    private let isOptimum: Bool

    init(_ summary: Summary) {
        isOptimum = summary.isOptimum
        amounts = [
            .init("jobs", .whole(summary.jobs)),
            .init("offered_bytes", .number(summary.offeredBytes)),
            .init("on_time_bytes", .byClass(summary.onTimeBytes)),
            .init("late_bytes", .number(summary.lateBytes)),
            .init("undone_bytes", .number(summary.undoneBytes)),
            .init("late_share", .number(summary.lateShare)),
            .init("on_time_cost_per_mb", .optional(summary.onTimeCostPerMegabyte)),
            .init("cost_with_penalty", .number(summary.costWithPenalty)),
            .init("optimal_cost", .number(summary.optimalCost)),
            .init("regret_per_mb", .optional(summary.regretPerMegabyte)),
        ]
        spans = [
            .init("span_s", .number(summary.span)),
            .init("unknown_s", .number(summary.unknownTime)),
        ]
        counts = [
            .init("done", .whole(summary.done)),
            .init("missed", .whole(summary.missed)),
            .init("activations", .whole(summary.activations)),
            .init("starts", .whole(summary.starts)),
            .init("stops", .whole(summary.stops)),
            .init("late_bytes_by_class", .byClass(summary.lateBytesByClass)),
            .init("delay_p50_s", .optional(summary.delay(atShare: 0.5))),
            .init("delay_p90_s", .optional(summary.delay(atShare: 0.9))),
            .init("delay_p95_s", .optional(summary.delay(atShare: 0.95))),
            .init("delay_p99_s", .optional(summary.delay(atShare: 0.99))),
            .init("slack_used_p50", .optional(summary.slackUsed(atShare: 0.5))),
            .init("slack_used_p95", .optional(summary.slackUsed(atShare: 0.95))),
            .init("longest_starvation_s", .number(summary.longestStarvation)),
            .init("app_fairness", .optional(summary.fairness)),
            .init("active", unit: "_s", Self.shares(summary.activeTime)),
            .init("tail", unit: "_s", Self.shares(summary.tailTime)),
            .init("wakes", Self.shares(summary.wakes)),
            .init("active", unit: "_j", Self.shares(summary.activeEnergy)),
            .init("tail", unit: "_j", Self.shares(summary.tailEnergy)),
            .init("wake", unit: "_j", Self.shares(summary.wakeEnergy)),
        ]
        events = .init("events", .whole(summary.events))
    }

    private static func shares(_ value: DeviceOutcome.PowerShares) -> JSONValue {
        .object([.init("battery", .number(value.battery)), .init("ac", .number(value.ac))])
    }

    /// The metrics as members of a JSON object.
    var json: [JSONValue.Pair] { (amounts + spans + (isOptimum ? [] : counts + [events])).map(\.json) }

    /// The metrics as columns of a row.
    var csv: [(key: String, text: String)] {
        func known(_ metrics: [Metric]) -> [(key: String, text: String)] {
            metrics.flatMap(\.csv).map { ($0.key, isOptimum ? "" : $0.text) }
        }
        return amounts.flatMap(\.csv) + known(counts.filter { $0.name != "late_bytes_by_class" })
            + spans.flatMap(\.csv) + known([events])
    }
}
