// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import TransferScheduling

/// The `transferlab evaluate` command: compares policies over many workloads, deadlines, and prices.
struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Compare policies over many workloads, deadlines, and prices of lateness.",
        discussion: """
            Chooses the best policy for each price without the device that scores it, and states all differences from \
            a reference policy with 95 % intervals over devices. The jobs are generated: workload BASE gives the \
            device at position K the seed BASE + K.
            """)

    @OptionGroup var traces: TraceOptions

    @OptionGroup var policy: EvaluatedPolicies

    @Option(help: "The policy with which all others are compared.")
    var reference: String = "unmetered"

    @Option(help: "The number of workloads, or their bases, such as 2000,3000.")
    var workloads: String = "20"

    @Option(help: "The times from arrival to deadline.")
    var deadlines: String = "4h,6h,12h,24h,36h,48h,72h,7d"

    @Option(help: "The prices of 10^6 bytes that are late or never arrive.")
    var prices: String = "10,30,64,100,300"

    @OptionGroup var price: PriceOptions

    @Option(help: "Write all results to a file as JSON; - writes to standard output instead of the tables.")
    var json: String?

    @OptionGroup var coverage: CoverageOptions

    @Option(help: "The shortest and the longest trace to use, in days.")
    var span: String = "0,100000"

    @Option(help: "The order of transfers: late-last, as transferd does, or deadline, as the reference figures do.")
    var order: String = "late-last"

    @Option(help: "The seed of the draws for intervals.")
    var seed: UInt64 = 1

    @Option(help: "The number of parallel replays; 0 for one per core. Does not affect results.")
    var jobs: Int = 0

    func run() async throws {
        let policies = try policy.selected(reference: reference)
        guard let index = policies.firstIndex(where: { $0.name == reference }), !policies.contains(where: \.isOptimum)
        else { throw UsageError("the optimum is the zero of every regret; remove it from the policies") }
        let bases = try parsedBases
        let deadlines = try Self.list(deadlines).map {
            Duration.seconds(try DurationText.seconds($0, for: "--deadlines"))
        }
        let prices = try Self.numbers(prices, for: "--prices")
        let settings = try parsedSettings
        let traces = try selectedTraces()
        try price.check(traces, settings)
        let devices = await evaluate(traces, bases, deadlines, policies, prices, settings)
        let evaluation = Evaluation(
            devices, policies: policies.map(\.name), deadlines: deadlines, prices: prices, reference: index, seed: seed)
        if let json { try Files.write(evaluation.json(order: order, bases: bases).document, to: json) }
        guard json != "-" else { return }
        if let conclusion = evaluation.conclusion { Console.print("\(conclusion)\n") }
        Console.print("\(traces.count) devices, \(bases.count) workloads, order \(order)")
        for (title, table) in evaluation.tables {
            Console.print("\n\(title)")
            OutputOptions.print(table)
        }
    }

    private func evaluate(
        _ traces: [Trace], _ bases: [UInt64], _ deadlines: [Duration], _ policies: [LabPolicy], _ prices: [Double],
        _ settings: ReplaySettings
    ) async -> [DeviceEvaluation] {
        // By deadline, too, so that a single device uses several cores and shows its progress.
        let works = traces.indices.flatMap { device in deadlines.map { (device, $0) } }
        let parts = await StudyRunner.map(works, width: jobs, unit: "parts of the study") { device, deadline in
            DeviceEvaluation(
                traces[device], seeds: bases.map { $0 &+ UInt64(device) }, deadlines: [deadline], policies: policies,
                prices: prices, settings: settings)
        }
        return stride(from: 0, to: parts.count, by: deadlines.count).map {
            DeviceEvaluation(joining: parts[$0..<$0 + deadlines.count])
        }
    }

    // MARK: Options

    /// The bases of the study from which the shipped rules come: 2000, 3000, 4000, 20000, 21000, ….
    private var parsedBases: [UInt64] {
        get throws {
            let words = Self.list(workloads)
            guard words.count == 1, let count = Int(words[0]), count < 1000 else {
                return try words.map { word in
                    guard let base = UInt64(word) else {
                        throw UsageError("--workloads must be a number of workloads, or bases such as 2000,3000")
                    }
                    return base
                }
            }
            guard count > 0 else { throw UsageError("--workloads must be 1 or more") }
            return (0..<UInt64(count)).map { $0 < 3 ? 2000 + 1000 * $0 : 17_000 + 1000 * $0 }
        }
    }

    private var parsedSettings: ReplaySettings {
        get throws {
            var settings = ReplaySettings()
            guard order == "late-last" || order == "deadline" else {
                throw UsageError("--order must be late-last or deadline, not '\(order)'")
            }
            settings.scheduler.startsLateTransfersLast = order == "late-last"
            try price.apply(to: &settings)
            return settings
        }
    }

    /// Returns the traces that are long enough and known well enough.
    private func selectedTraces() throws -> [Trace] {
        let days = try Self.numbers(span, for: "--span")
        guard days.count == 2 else { throw UsageError("--span must be two numbers of days, such as 4,40") }
        let selected = try traces.all().filter { trace in
            coverage.accepts(trace) && (days[0]...max(days[0], days[1])).contains(trace.span / 86_400)
        }
        guard !selected.isEmpty else { throw UsageError("no trace satisfies --min-known and --span") }
        return selected
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func numbers(_ text: String, for option: String) throws -> [Double] {
        try list(text).map { word in
            guard let value = Double(word), value >= 0, value.isFinite else {
                throw UsageError("\(option): not a number of 0 or more: '\(word)'")
            }
            return value
        }
    }
}

/// The options that select the policies of an evaluation.
struct EvaluatedPolicies: ParsableArguments {
    @Option(
        name: .customLong("policy"),
        help: "Policies as NAME[:key=value]…, separated by commas. May be repeated. See 'policies'.")
    var lists: [String] = []

    @Option(
        name: .customLong("axis"),
        help: "POLICY.KEY=FROM:TO:STEP or POLICY.KEY=A,B,C, as for 'sweep'. All combinations are candidates.")
    var axes: [String] = []

    /// Returns the reference, the policies of all lists, and all combinations of the axes.
    func selected(reference: String) throws -> [LabPolicy] {
        let names = SweepAxis.names(of: try axes.map { try SweepAxis($0) })
        let named = try PolicyOptions.selected(lists.isEmpty && axes.isEmpty ? ["default,horizon"] : lists + names)
        guard !named.contains(where: { $0.name == reference }) else { return named }
        return [try LabPolicy(reference)] + named
    }
}
