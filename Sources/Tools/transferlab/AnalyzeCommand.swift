// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The `transferlab analyze` command: prints statistics of traces.
struct AnalyzeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Tells what traces are like: shares, lengths of periods, hours of the day, served within a time.")

    @Argument(help: "Conditions of one device each, as comma-separated values.")
    var traces: [String]

    @Option(help: "Seconds east of UTC, for the hours of the day.")
    var utcOffset: Int64 = 0

    func run() throws {
        guard (-86_400...86_400).contains(utcOffset) else {
            throw UsageError("--utc-offset must lie within ±86 400 s")
        }
        let analysis = TraceAnalysis(try Files.traces(traces))
        Console.print("Shares of time (of what is known)")
        OutputOptions.print(analysis.shares)
        Console.print("\nPeriods whose begin and end were seen")
        OutputOptions.print(analysis.periods)
        Console.print("\nShare of known time that is good, by hour of the day (UTC\(offset))")
        OutputOptions.print(analysis.hours(offsetSeconds: utcOffset))
        Console.print("\nShare of moments from which a good one comes within a time")
        OutputOptions.print(analysis.servedWithin)
    }

    private var offset: String { utcOffset == 0 ? "" : utcOffset > 0 ? " + \(utcOffset) s" : " - \(-utcOffset) s" }
}
