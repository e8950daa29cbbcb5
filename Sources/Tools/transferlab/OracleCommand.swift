// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The `transferlab oracle` command: prints the best possible results.
struct OracleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "oracle",
        abstract: "Prints the least cost possible, and how little can be late at what cost.")

    @OptionGroup var study: StudyOptions

    @Option(help: "Writes the results to a file as JSON; - for standard output in place of the tables.")
    var json: String?

    func run() async throws {
        let cases = try study.cases()
        let items = await StudyRunner.run(cases, [], study.settings, width: study.jobs)
        let report = OracleReport(devices: cases.map(\.name), optima: items.map(\.optimum), settings: study.settings)
        if let json { try Files.write(report.json.document, to: json) }
        guard json != "-" else { return }
        OutputOptions.print(report.table)
        Console.print("\nLate against cost, all devices: nobody can be left of or below this line.")
        OutputOptions.print(report.frontTable)
    }
}
