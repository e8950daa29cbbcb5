// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The `transferlab diff` command: compares two results of `run --json`.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compares two results of 'run --json'; fails where one is worse than allowed.")

    @Argument(help: "The result before.")
    var before: String

    @Argument(help: "The result after.")
    var after: String

    @Option(
        name: .customLong("fail-if"),
        help: "Ends with 1 where a figure grew by more than this, as 'regret>+1%' or 'late>+0.005'; may be repeated.")
    var limits: [String] = []

    func run() throws {
        let limits = try limits.map { try DiffLimit($0) }
        let (old, new) = (try StudyFigures(before), try StudyFigures(after))
        var table = TextTable(columns: [.init("policy", isNumeric: false)])
        for figure in StudyFigures.names { table.columns += [.init(figure), .init("then")] }
        var faults: [String] = []
        for name in old.policies where new[name] == nil { faults.append("\(after) has no policy \(name)") }
        for name in new.policies where old[name] != nil {
            var row = [name]
            for figure in StudyFigures.names {
                let (from, to) = (old[name]?[figure], new[name]?[figure])
                row += [from, to].map { $0.map { "\((($0 * 1e6).rounded() / 1e6))" } ?? "-" }
                for limit in limits where limit.figure == figure && limit.isPassed(from: from, to: to) {
                    let change = "from \(Self.text(from)) to \(Self.text(to))"
                    faults.append("\(name): \(figure) went \(change) (\(limit.text))")
                }
            }
            table.rows.append(row)
        }
        OutputOptions.print(table)
        for fault in faults { Console.error("transferlab: \(fault)") }
        if !faults.isEmpty { throw ExitCode(1) }
    }

    private static func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "nothing" }
}

/// The pooled metrics of a result, by policy.
struct StudyFigures {
    /// The metrics to compare, with their keys in the result.
    private static let keys = [
        ("regret", "regret_per_mb"), ("late", "late_share"), ("cost", "on_time_cost_per_mb"),
        ("penalized", "cost_with_penalty"), ("delay", "delay_p50_s"), ("activations", "activations"),
    ]
    static let names = keys.map(\.0)

    private(set) var policies: [String] = []
    private var figures: [String: [String: Double]] = [:]

    init(_ file: String) throws {
        let object = try? JSONSerialization.jsonObject(with: Data(try Files.read(file)))
        guard let root = object as? [String: Any], let list = root["policies"] as? [[String: Any]] else {
            throw UsageError("\(file) is no result of 'run --json': a list 'policies' is missing")
        }
        for (index, policy) in list.enumerated() {
            guard let name = policy["name"] as? String, let pooled = policy["pooled"] as? [String: Any] else {
                throw UsageError("\(file) is no result of 'run --json': policies[\(index)] has no name or no 'pooled'")
            }
            policies.append(name)
            for (figure, key) in Self.keys {
                if let number = pooled[key] as? NSNumber { figures[name, default: [:]][figure] = number.doubleValue }
            }
        }
    }

    subscript(_ policy: String) -> [String: Double]? { policies.contains(policy) ? figures[policy] ?? [:] : nil }
}

/// The maximum growth of a metric.
struct DiffLimit {
    let text: String
    let figure: String
    private let amount: Double
    private let isRelative: Bool

    init(_ text: String) throws {
        self.text = text
        let sides = text.split(separator: ">", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let number = sides.count == 2 ? sides[1] : ""
        isRelative = number.hasSuffix("%")
        guard sides.count == 2, StudyFigures.names.contains(sides[0]),
            let amount = Double(isRelative ? String(number.dropLast()) : number), amount.isFinite
        else {
            let names = StudyFigures.names.joined(separator: ", ")
            throw UsageError("--fail-if '\(text)' is not FIGURE>+NUMBER or FIGURE>+NUMBER%; figures are \(names)")
        }
        figure = sides[0]
        self.amount = amount
    }

    /// Returns whether a metric grew beyond the limit. A metric that disappeared counts as beyond the limit, and a
    /// new metric does not.
    func isPassed(from: Double?, to: Double?) -> Bool {
        guard let from else { return false }
        guard let to else { return true }
        // There is no percentage of zero, so any growth from zero is beyond the limit.
        return isRelative ? to - from > from.magnitude * amount / 100 : to - from > amount
    }
}
