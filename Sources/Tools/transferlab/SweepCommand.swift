// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import TransferModel
import TransferPolicy

/// The `transferlab sweep` command: compares many values of parameters in one table.
struct SweepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep", abstract: "Replay policies with several values of their parameters or of the deadline.")

    @OptionGroup var study: StudyOptions

    @Option(
        name: .customLong("axis"),
        help: """
            POLICY.KEY=FROM:TO:STEP or POLICY.KEY=A,B,C. All values of one policy's axes are combined. \
            deadline=1h,4h,24h sets the deadline of all jobs and prints one table per value.
            """)
    var axes: [String]

    @Option(name: .customLong("policy"), help: "Further policies to compare, as for 'run'.")
    var lists: [String] = []

    @OptionGroup var coverage: CoverageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        var (choices, deadlines): ([SweepAxis], [(text: String, seconds: Double)]) = ([], [])
        for text in axes {
            if text.hasPrefix("deadline=") {
                guard deadlines.isEmpty else { throw UsageError("--axis deadline is given twice") }
                deadlines = try text.dropFirst(9).split(separator: ",", omittingEmptySubsequences: false).map {
                    (String($0), try DurationText.seconds(String($0), for: "--axis deadline"))
                }
            } else {
                choices.append(try SweepAxis(text))
            }
        }
        let names = SweepAxis.names(of: choices)
        let policies = try PolicyOptions.selected(names + lists)
        guard !policies.isEmpty else { throw UsageError("no policy is given; use --axis or --policy") }
        let cases = try study.cases(coverage)
        guard !deadlines.isEmpty else {
            let (result, items) = try await study.run(cases, policies)
            let more = axes.flatMap { ["--axis", $0] } + lists.flatMap { ["--policy", $0] }
            let origin = { try study.origin("sweep", more, coverage) }
            return try await output.write(result, try StudyRunner.PageInput(items, cases, policies, study, origin))
        }
        guard output.table.csv == nil, output.html == nil else {
            throw UsageError("--csv and --html cannot be combined with --axis deadline")
        }
        var studies: [JSONValue] = []
        for (text, seconds) in deadlines {
            let cases = Self.settingDeadlines(seconds, cases)
            let (result, _) = try await study.run(cases, policies)
            studies.append(.object([.init("deadline_s", .number(seconds)), .init("study", result.json)]))
            guard output.table.json != "-" else { continue }
            Console.print("\(studies.count > 1 ? "\n" : "")deadline \(text)")
            output.table.printTable(of: result)
        }
        guard let json = output.table.json else { return }
        try Files.write(JSONValue.object([.init("sweep", .list(studies))]).document, to: json)
    }

    private static func settingDeadlines(_ seconds: Double, _ cases: [DeviceCase]) -> [DeviceCase] {
        cases.map { device in
            var device = device
            for index in device.jobs.indices {
                device.jobs[index].deadline = device.jobs[index].arrival.advanced(by: .seconds(seconds))
            }
            return device
        }
    }
}

/// The values of one parameter of a policy.
struct SweepAxis {
    let policy: String
    let key: String
    /// The values, as written in the policy's name.
    let values: [String]

    init(_ text: String) throws {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let names = sides[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2, names.count == 2 else {
            throw UsageError("--axis '\(text)' is not POLICY.KEY=FROM:TO:STEP, POLICY.KEY=A,B,C or deadline=A,B,C")
        }
        (policy, key) = (names[0], names[1])
        let bounds = sides[1].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard bounds.count == 3 else {
            values = sides[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            return
        }
        let numbers = bounds.compactMap { Double($0) }
        guard numbers.count == 3, numbers.allSatisfy(\.isFinite), numbers[2] > 0, numbers[0] <= numbers[1],
            (numbers[1] - numbers[0]) / numbers[2] < 10_000
        else { throw UsageError("--axis '\(text)': FROM:TO:STEP must be numbers, STEP above 0, at most 10,000 values") }
        // The small addition keeps rounding from excluding TO.
        let count = Int((numbers[1] - numbers[0]) / numbers[2] + 1e-9)
        values = (0...count).map { Self.text(numbers[0] + Double($0) * numbers[2]) }
    }

    private static func text(_ value: Double) -> String {
        // The sum 0.1 + 0.2 is written as 0.3.
        let rounded = (value * 1e9).rounded() / 1e9
        return rounded == rounded.rounded() && rounded.magnitude < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
    }

    /// Returns the names of the policies with every combination of values.
    static func names(of axes: [SweepAxis]) -> [String] {
        var order: [String] = []
        for axis in axes where !order.contains(axis.policy) { order.append(axis.policy) }
        return order.flatMap { policy in
            axes.filter { $0.policy == policy }.reduce([policy]) { names, axis in
                names.flatMap { name in axis.values.map { "\(name):\(axis.key)=\($0)" } }
            }
        }
    }
}
