// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The `transferlab diff` command: compares two results of `run --json`.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare two results of 'run --json', and fail if one is worse than allowed.")

    @Argument(help: "The earlier result of 'run --json'.")
    var before: String

    @Argument(help: "The later result of 'run --json'.")
    var after: String

    @Option(
        name: .customLong("fail-if"),
        help: """
            Exit with status 1 if a metric grew by more than this, such as 'regret>+1%' or 'late>+0.005'. May be \
            repeated.
            """)
    var limits: [String] = []

    func run() throws {
        let limits = try limits.map { try DiffLimit($0) }
        let (old, new) = (try StudyMetrics(before), try StudyMetrics(after))
        var table = TextTable(columns: [.init("policy", isNumeric: false)])
        table.columns += StudyMetrics.names.map { .init($0) }
        var failures: [String] = []
        for name in old.policies where new[name] == nil { failures.append("\(after) lacks the policy \(name)") }
        for name in new.policies where old[name] != nil {
            var row = [name]
            for metric in StudyMetrics.names {
                let (from, to) = (old[name]?[metric], new[name]?[metric])
                let change = Self.change(metric, from: from, to: to)
                row.append(change)
                for limit in limits where limit.metric == metric && limit.isExceeded(from: from, to: to) {
                    failures.append("\(name): \(metric) changed: \(change) (\(limit.text))")
                }
            }
            table.rows.append(row)
        }
        OutputOptions.print(table)
        for fault in failures { Console.error("transferlab: \(fault)") }
        if !failures.isEmpty { throw ExitCode(1) }
    }

    /// Returns the values of a metric before and after, or a single value if the metric did not change.
    static func change(_ metric: String, from: Double?, to: Double?) -> String {
        let texts = [from, to].map { $0.map { text($0, of: metric) } ?? "-" }
        guard from != to else { return texts[0] }
        // A difference that the short texts do not show is written with all digits.
        guard texts[0] == texts[1], let from, let to else { return texts.joined(separator: " → ") }
        let unit = metric == "delay" ? " s" : ""
        return metric == "late" ? "\(from * 100) → \(to * 100) %" : "\(from) → \(to)\(unit)"
    }

    private static func text(_ value: Double, of metric: String) -> String {
        switch metric {
        case "late": String(format: "%.2f %%", value * 100)
        case "delay": Study.shortDuration(value)
        case "activations": String(format: "%.0f", value)
        default: String(format: "%.3f", value)
        }
    }
}

/// The pooled metrics of a result, by policy.
struct StudyMetrics {
    /// The metrics to compare, with their keys in the result.
    private static let keys = [
        ("regret", "regret_per_mb"), ("late", "late_share"), ("cost", "on_time_cost_per_mb"),
        ("penalized", "cost_with_penalty"), ("delay", "delay_p50_s"), ("activations", "activations"),
    ]
    static let names = keys.map(\.0)

    private(set) var policies: [String] = []
    private var metrics: [String: [String: Double]] = [:]

    init(_ file: String) throws {
        let object = try? JSONSerialization.jsonObject(with: Data(try Files.read(file)))
        guard let root = object as? [String: Any], let list = root["policies"] as? [[String: Any]] else {
            throw UsageError("\(file) is not a result of 'run --json': the list 'policies' is missing")
        }
        for (index, policy) in list.enumerated() {
            guard let name = policy["name"] as? String, let pooled = policy["pooled"] as? [String: Any] else {
                throw UsageError(
                    "\(file) is not a result of 'run --json': policies[\(index)] has no 'name' or no 'pooled'")
            }
            policies.append(name)
            for (metric, key) in Self.keys {
                if let number = pooled[key] as? NSNumber { metrics[name, default: [:]][metric] = number.doubleValue }
            }
        }
    }

    subscript(_ policy: String) -> [String: Double]? { policies.contains(policy) ? metrics[policy] ?? [:] : nil }
}

/// The maximum growth of a metric.
struct DiffLimit {
    let text: String
    let metric: String
    private let amount: Double
    private let isRelative: Bool

    init(_ text: String) throws {
        self.text = text
        let sides = text.split(separator: ">", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let number = sides.count == 2 ? sides[1] : ""
        isRelative = number.hasSuffix("%")
        guard sides.count == 2, StudyMetrics.names.contains(sides[0]),
            let amount = Double(isRelative ? String(number.dropLast()) : number), amount.isFinite
        else {
            let names = StudyMetrics.names.joined(separator: ", ")
            throw UsageError("--fail-if '\(text)' is not METRIC>+NUMBER or METRIC>+NUMBER%; the metrics are \(names)")
        }
        metric = sides[0]
        self.amount = amount
    }

    /// Returns whether a metric grew beyond the limit. A metric that disappeared counts as beyond the limit, and a
    /// new metric does not.
    func isExceeded(from: Double?, to: Double?) -> Bool {
        guard let from else { return false }
        guard let to else { return true }
        // A percentage of zero is zero, so any growth from zero is beyond the limit.
        return isRelative ? to - from > from.magnitude * amount / 100 : to - from > amount
    }
}
