// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The `transferlab analyze` command: prints statistics of traces.
struct AnalyzeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "analyze",
        abstract: "Print statistics of traces: shares of time, lengths of periods, hours, and waiting times.")

    @OptionGroup var traces: TraceOptions

    @Option(help: "The offset from UTC in seconds, for the hours of the day. East is positive.")
    var utcOffset: Int64 = 0

    func run() throws {
        guard (-86_400...86_400).contains(utcOffset) else {
            throw UsageError("--utc-offset must be from -86400 to 86400 seconds")
        }
        let analysis = TraceAnalysis(try traces.all())
        Console.print("Share of known time by conditions")
        OutputOptions.print(analysis.shares)
        Console.print("\nPeriods with an observed start and end")
        OutputOptions.print(analysis.periods)
        Console.print("\nShare of known time with good conditions, by hour of the day (UTC\(offset))")
        OutputOptions.print(analysis.hours(offsetSeconds: utcOffset))
        Console.print("\nShare of moments that good conditions follow within a time")
        OutputOptions.print(analysis.servedWithin)
    }

    private var offset: String { utcOffset == 0 ? "" : utcOffset > 0 ? " + \(utcOffset) s" : " - \(-utcOffset) s" }
}
