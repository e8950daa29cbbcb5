// SPDX-License-Identifier: Apache-2.0

/// One part of a study, by its number and the number of all parts.
struct ShardChoice: Equatable {
    /// The maximum number of parts.
    static let maximumCount = 1_000_000

    var number: Int
    var count: Int

    init(number: Int, count: Int) { (self.number, self.count) = (number, count) }

    /// Reads a part such as `2/8`.
    init(_ text: String) throws {
        let words = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard words.count == 2, let number = words[0], let count = words[1], (1...Self.maximumCount).contains(count),
            (1...count).contains(number)
        else { throw UsageError("not a part: '\(text)'; write the second of eight parts as 2/8, or 'auto'") }
        self.init(number: number, count: count)
    }

    /// An engine that numbers its tasks in the environment.
    private struct Engine {
        var number: String
        /// The variable with the number of tasks.
        var count: String
        /// The number of the first task, or the variable with it.
        var first: (variable: String?, number: Int)
    }

    private static let engines = [
        Engine(number: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", first: ("SLURM_ARRAY_TASK_MIN", 0)),
        Engine(number: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE", first: (nil, 0)),
        Engine(number: "JOB_COMPLETION_INDEX", count: "JOB_COMPLETIONS", first: (nil, 0)),
        Engine(number: "PARALLEL_SEQ", count: "PARALLEL_TOTAL", first: (nil, 1)),
    ]

    /// Finds the part in the variables of a batch system: Slurm's job arrays, AWS Batch's array jobs, Indexed Jobs of
    /// Kubernetes, or GNU parallel.
    ///
    /// - Parameters:
    ///   - environment: The environment of the process.
    ///   - count: The number of parts, if the user states it.
    init(environment: [String: String], count given: Int?) throws {
        guard let engine = Self.engines.first(where: { environment[$0.number] != nil }) else {
            throw UsageError(
                "'auto' needs one of the variables \(Self.engines.map(\.number).joined(separator: ", ")); outside of a "
                    + "batch system, write the second of eight parts as 2/8")
        }
        let text = environment[engine.number] ?? ""
        let first = engine.first.variable.flatMap { environment[$0] }.flatMap { Int($0) } ?? engine.first.number
        guard let count = given ?? environment[engine.count].flatMap({ Int($0) }) else {
            throw UsageError("\(engine.number) does not tell the number of parts; state it with --of, such as --of 8")
        }
        guard let index = Int(text), (1...Self.maximumCount).contains(count), (first..<first + count).contains(index)
        else {
            throw UsageError(
                "\(engine.number) is '\(text)', which is not one of \(count) parts from \(first); check the array of tasks"
            )
        }
        self.init(number: index - first + 1, count: count)
    }

    /// The name of the part's file in a folder of parts.
    var fileName: String { "\(number)-of-\(count).part" }
}
