// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs benchmarks by name and prints their results. Our runs and the named peer's runs are interleaved, and a result
/// consists of the medians and their ratio.
@main
enum Benchmarks {
    /// The benchmarks by name.
    static let all: [(name: String, measure: @Sendable (Options) throws -> [BenchmarkResult])] = [
        ("download-1g", LargeDownload.toMemory),
        ("download-4g", LargeDownload.toDisk),
        ("download-limited", LimitedDownload.measure),
        ("upload-1g", LargeUpload.measure),
        ("small-files", SmallFiles.measure),
        ("small-files-tls", SmallFiles.measureSecure),
        ("energy", Energy.measure),
        ("segments", Segments.measure),
        ("program-start", ProgramStart.measure),
        ("idle", Idle.measure),
        ("daemon-idle", DaemonIdle.measure),
        ("memory", Memory.measure),
        ("start-latency", Latency.measureStart),
        ("stop-latency", Latency.measureStop),
        ("rate-limit", LimitedRate.measure),
        ("yield", Yielding.measure),
        ("power-latency", ConditionLatency.power),
        ("path-latency", ConditionLatency.path),
        ("metered-latency", ConditionLatency.metered),
        ("flood-latency", ConditionLatency.flood),
        ("conditions-idle", ConditionLatency.idle),
        ("bus-calls", BusCalls.measure),
        ("core-scale", CoreScale.measure),
        ("core-memory", CoreScale.measureMemory),
        ("lab-events", LabEvents.measure),
        ("lab-year", LabYear.measure),
        ("lab-scale", LabScale.measure),
        ("store-submit", StoreScale.measureSubmit),
        ("store-recover", StoreScale.measureRecover),
        ("first-build", FirstBuild.measure),
    ]

    static func main() {
        if CommandLine.arguments.dropFirst().first == BareURLSession.argument {
            BareURLSession.run(Array(CommandLine.arguments.dropFirst(2)))
        }
        do {
            if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--recover" {
                return try StoreScale.recover(CommandLine.arguments[2])
            }
            var missed = 0
            let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
            for benchmark in all where options.names.isEmpty || options.names.contains(benchmark.name) {
                for result in try benchmark.measure(options) {
                    // Each result is written immediately, because a run takes long and may be interrupted.
                    FileHandle.standardOutput.write(Data(((options.isJSON ? result.json : result.text) + "\n").utf8))
                    if options.isCheck, result.isBarMet == false { missed += 1 }
                }
            }
            guard missed == 0 else {
                logMessage("missed bars: \(missed)")
                exit(1)
            }
        } catch {
            logMessage("\(error)")
            exit(2)
        }
    }
}

/// Writes a message to standard error, apart from the results.
func logMessage(_ text: String) { FileHandle.standardError.write(Data("figures: \(text)\n".utf8)) }

/// The command line.
///
/// - `--quick`: Runs fewer rounds.
/// - `--json`: Prints one JSON object per line.
/// - `--check`: Exits with status 1 if a bar is missed or could not be measured.
/// - `--largest NUMBER`: Limits the number of waiting transfers in the `core-` benchmarks.
/// - `--with NAME=PATH`: Names a program or folder that is not in its usual place.
struct Options: Sendable {
    var names: [String] = []
    var isQuick = false
    var isJSON = false
    var isCheck = false
    /// The maximum number of waiting transfers in the `core-` benchmarks.
    var largest = Int.max

    /// The paths from `--with`, by name: programs (transferctl, curl, …), and the folders `memory` and `disk`.
    var paths: [String: String] = [:]

    /// Returns the path of a program; `nil` if the program is not installed.
    func program(_ name: String) -> String? { paths[name] ?? Command.find(name) }
    /// The folder for files that must not wait for a disk. Default: `/dev/shm`.
    var memoryFolder: String { paths["memory"] ?? "/dev/shm" }
    /// The folder for files that must wait for a disk. Default: `/var/tmp`.
    var diskFolder: String { paths["disk"] ?? "/var/tmp" }

    /// The number of measured rounds of each side.
    var rounds: Int { isQuick ? 3 : 7 }

    init(arguments: [String]) throws {
        var rest = arguments[...]
        func number(after name: String) throws -> Int {
            guard let number = rest.popFirst().flatMap({ Int($0) }) else {
                throw BenchmarkError("\(name) needs a number")
            }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--json": isJSON = true
            case "--check": isCheck = true
            case "--largest": largest = try number(after: argument)
            case "--with":
                let parts = rest.popFirst()?.split(separator: "=", maxSplits: 1).map(String.init) ?? []
                guard parts.count == 2 else { throw BenchmarkError("--with needs NAME=PATH") }
                paths[parts[0]] = parts[1]
            default:
                guard Benchmarks.all.contains(where: { $0.name == argument }) else {
                    let known = Benchmarks.all.map(\.name).joined(separator: ", ")
                    throw BenchmarkError(
                        "unknown benchmark '\(argument)'; the benchmarks are \(known)"
                    )
                }
                names.append(argument)
            }
        }
        // A check of `core-scale` covers all bars of the scheduling code.
        if isCheck, names.contains("core-scale"), !names.contains("core-memory") { names.append("core-memory") }
    }
}

/// The reason why a benchmark could not be measured.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
