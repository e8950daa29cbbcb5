// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab
import Rainbow

/// The options for the output of results.
struct OutputOptions: ParsableArguments {
    @Option(help: "Writes all results to a file as JSON; - for standard output in place of the table.")
    var json: String?

    @Option(help: "The same as comma-separated values.")
    var csv: String?

    @Option(help: "Writes one page for a browser, with drawings; it needs no other file.")
    var html: String?

    @Option(help: "Sorts the table, the least first: \(OutputOptions.keys).")
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
        Console.print(study.floor)
    }

    /// Prints a table, with its heading in bold on a terminal.
    static func print(_ table: TextTable) {
        for (index, line) in table.lines.enumerated() { Console.print(index == 0 ? line.bold : line) }
    }
}
