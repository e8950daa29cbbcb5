// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab
import Rainbow

/// The options for tables of results.
struct TableOptions: ParsableArguments {
    @Option(help: "Write all results to a file as JSON; - writes to standard output instead of the table.")
    var json: String?

    @Option(help: "Write all results to a file as comma-separated values; - as for --json.")
    var csv: String?

    @Option(help: "Sort the table in ascending order by: \(TableOptions.keys).")
    var sort: String?

    private static var keys: String { Study.SortKey.allCases.map(\.rawValue).joined(separator: ", ") }

    func validate() throws {
        guard sort.map({ Study.SortKey(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--sort must be one of \(Self.keys)")
        }
    }

    /// Whether any option is given.
    var hasOutput: Bool { json != nil || csv != nil || sort != nil }

    /// Writes a study in every requested format.
    func write(_ study: Study) throws {
        if let json { try Files.write(study.json.document, to: json) }
        if let csv { try Files.write(study.csv, to: csv) }
        guard json != "-", csv != "-" else { return }
        printTable(of: study)
    }

    /// Prints the conclusion, the table, and the lower bound of a study.
    func printTable(of study: Study) {
        if let conclusion = study.conclusion { Console.print("\(conclusion)\n") }
        OutputOptions.print(study.table(sortedBy: sort.flatMap { Study.SortKey(rawValue: $0) }))
        Console.print("")
        Console.print(study.lowerBoundSummary)
        if let precision = study.quantileSummary { Console.print(precision) }
    }
}

/// The options for the output of results, including pages.
struct OutputOptions: ParsableArguments {
    @OptionGroup var table: TableOptions

    @Option(help: "Write a self-contained HTML page with charts to a file.")
    var html: String?

    @Option(
        name: .customLong("html-device"),
        help: """
            A device whose days the page shows in any case. May be repeated. Without it, the page shows all devices, or 60 \
            if there are more.
            """)
    var pageDevices: [String] = []

    func validate() throws {
        guard pageDevices.isEmpty || html != nil else { throw ValidationError("--html-device needs --html") }
    }

    /// Whether the output has results of single devices.
    var showsDevices: Bool { html != nil || table.csv != nil || table.json != nil }

    /// Writes a study in every requested format.
    ///
    /// - Parameter input: The input of the HTML page, which is created only on request.
    func write(_ study: Study, _ input: StudyRunner.PageInput) async throws {
        if let html { try Files.write(try await StudyRunner.page(study, input, showing: pageDevices).html, to: html) }
        guard html != "-" else { return }
        try table.write(study)
    }

    /// Prints a table, with its heading in bold on a terminal.
    static func print(_ table: TextTable) {
        for (index, line) in table.lines.enumerated() { Console.print(index == 0 ? line.bold : line) }
    }
}
