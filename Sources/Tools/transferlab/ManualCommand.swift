// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import ManualPages

/// The `transferlab man` command, which writes the manual page.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "man", abstract: "Print the manual page. 'transferlab man | man -l -' shows it.")

    func run() throws { Console.write(try ManualPage.transferlab().text) }
}

extension ManualPage {
    /// The examples of the page: command lines and their purposes.
    static let transferlabExamples: [(command: String, purpose: String)] = [
        (
            "transferlab synth renewal --ac 0.4 --days 30 --devices 10",
            "Generate the days of ten devices, in the current folder."
        ),
        (
            "transferlab run renewal-*.csv --workload generated --html report.html",
            "Compare policies with the optimum, and write a page with charts."
        ),
        (
            "transferlab explain renewal-1.csv --workload generated --job 4",
            "Show why a job waited."
        ),
    ]

    /// Returns the page transferlab(1).
    static func transferlab() throws -> ManualPage {
        try CommandDescription.root(TransferLab.self).page(
            number: 1, version: TransferLab.version,
            sections: [
                ManualSection(
                    "EXIT STATUS",
                    [
                        .entry("0", "Success."), .entry("1", "A comparison of diff failed."),
                        .entry("2", "The usage or the input is invalid."),
                    ]),
                ManualSection(
                    "ENVIRONMENT", [.entry("NO_COLOR", "If set and not empty, the output has no colors.")]),
                ManualSection(
                    "FILES",
                    [
                        .paragraph(
                            """
                            Conditions are a CSV file for each device, with the columns t_start,t_end,power,net,level. Times are \
                            Unix seconds. power is ac, battery, or unknown. net is wifi, ethernet, cell, none, or unknown. level \
                            is 0 to 1, or empty. The columns suspended, rate_bytes_per_s, and metered may follow.

                            Jobs are a CSV file with the columns device,id,arrival,bytes,deadline. The columns app, host, \
                            priority, expected_bytes, and created_in may follow.
                            """)
                    ]),
                ManualSection("EXAMPLES", transferlabExamples.map { .example($0.command, $0.purpose) }),
                ManualSection("SEE ALSO", [.paragraph("transferctl(1), transferd(8)")]),
            ])
    }
}
