// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The options that name the traces of a study.
struct TraceOptions: ParsableArguments {
    @Argument(
        help: """
            Files with recorded conditions (CSV), one per device; - for standard input. Also folders, and patterns such as \
            'days/*.csv'.
            """)
    var traces: [String] = []

    @Option(help: "A file with the traces, one path per line; - for standard input.")
    var tracesFrom: String?

    @Option(
        help: """
            Synthetic devices that are made where they are replayed, instead of traces: \
            renewal:p=0.65,ac=0.4,devices=1000000,seed=7, with the options of 'synth renewal'.
            """)
    var population: String?

    /// The number of ways in which traces are named.
    private var ways: Int { (traces.isEmpty ? 0 : 1) + (tracesFrom == nil ? 0 : 1) + (population == nil ? 0 : 1) }

    func validate() throws {
        guard ways <= 1 else {
            throw ValidationError(
                "traces as arguments, --traces-from, and --population cannot be combined; use one of them")
        }
    }

    /// Whether traces are named at all.
    var isEmpty: Bool { ways == 0 }

    /// Returns the traces in order.
    func sequence() throws -> TraceSequence {
        if let population { return TraceSequence(try PopulationText.population(population)) }
        if let tracesFrom { return try TraceSequence(listedIn: tracesFrom) }
        guard !traces.isEmpty else {
            throw UsageError("no trace is given: name files or folders, or use --traces-from or --population")
        }
        return TraceSequence(traces)
    }

    /// The words of a command line that name the traces.
    var words: [String] {
        if let population { return ["--population", StudyOptions.quoted(population)] }
        if let tracesFrom { return ["--traces-from", StudyOptions.quoted(tracesFrom)] }
        return traces.count > 4 ? ["TRACE…"] : traces.map(StudyOptions.quoted)
    }

    /// Returns all traces, in memory.
    func all() throws -> [Trace] { try sequence().all() }
}

/// The notation of a population: `renewal:p=0.65,devices=1000`.
enum PopulationText {
    static func population(_ text: String) throws -> Population {
        let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides[0] == "renewal" else {
            throw UsageError(
                "--population: '\(sides[0])' is not a model; write renewal:p=0.65,devices=1000, with the options of "
                    + "'transferlab synth renewal'")
        }
        let words = try (sides.count == 2 ? sides[1] : "").split(separator: ",").flatMap { word in
            let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[0] != "output" else {
                throw UsageError(
                    "--population: '\(word)' is not KEY=VALUE with an option of 'transferlab synth renewal'")
            }
            return ["--\(pair[0])", String(pair[1])]
        }
        do {
            return try RenewalCommand.parse(words).population()
        } catch let error as UsageError {
            throw UsageError("--population: \(error)")
        } catch {
            throw UsageError("--population: \(RenewalCommand.message(for: error))")
        }
    }
}
