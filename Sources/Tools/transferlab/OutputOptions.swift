// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab
import Rainbow

/// The options for the output of results.
struct OutputOptions: ParsableArguments {
    @Option(help: "Write all results to a file as JSON; - writes to standard output instead of the table.")
    var json: String?

    @Option(help: "Write all results to a file as comma-separated values; - as for --json.")
    var csv: String?

    @Option(help: "Write a self-contained HTML page with charts to a file.")
    var html: String?

    @Option(help: "Sort the table in ascending order by: \(OutputOptions.keys).")
    var sort: String?

    private static var keys: String { Study.SortKey.allCases.map(\.rawValue).joined(separator: ", ") }

    func validate() throws {
        guard sort.map({ Study.SortKey(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--sort must be one of \(Self.keys)")
        }
    }

    /// Writes a study in every requested format.
    ///
    /// - Parameter page: Creates the HTML page, if a page is requested.
    func write(_ study: Study, page: (Study) -> StudyPage) throws {
        if let html { try Files.write(page(study).html, to: html) }
        if let json { try Files.write(study.json.document, to: json) }
        if let csv { try Files.write(study.csv, to: csv) }
        guard json != "-", csv != "-", html != "-" else { return }
        Self.print(study.table(sortedBy: sort.flatMap { Study.SortKey(rawValue: $0) }))
        Console.print("")
        Console.print(study.lowerBoundSummary)
    }

    /// Prints a table, with its heading in bold on a terminal.
    static func print(_ table: TextTable) {
        for (index, line) in table.lines.enumerated() { Console.print(index == 0 ? line.bold : line) }
    }
}
