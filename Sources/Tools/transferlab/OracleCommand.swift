// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The `transferlab oracle` command: prints the best possible results.
struct OracleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "oracle",
        abstract: "Print the minimum cost, and the Pareto front of late bytes and cost.")

    @OptionGroup var study: StudyOptions

    @OptionGroup var coverage: CoverageOptions

    @Option(help: "Write the results to a file as JSON; - writes to standard output instead of the tables.")
    var json: String?

    func run() async throws {
        let cases = try study.cases(coverage)
        let settings = try study.readSettings()
        try study.price.check(cases.map(\.trace), settings)
        let items = await StudyRunner.run(cases, [], settings, width: study.jobs)
        let report = OracleReport(devices: cases.map(\.name), optima: items.map(\.optimum), settings: settings)
        if let json { try Files.write(report.json.document, to: json) }
        guard json != "-" else { return }
        OutputOptions.print(report.table)
        Console.print("\nPareto front of late bytes and cost, all devices: no policy can be better than this line.")
        OutputOptions.print(report.frontTable)
    }
}
