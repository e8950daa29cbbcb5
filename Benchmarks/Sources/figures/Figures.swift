// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs figures by name and prints them: ours and the named peer's, interleaved, medians and their ratio.
@main
enum Figures {
    /// What can be measured, by name.
    static let all: [(name: String, measure: @Sendable (Options) throws -> [Figure])] = [
        ("download-1g", LargeDownload.toMemory),
        ("download-4g", LargeDownload.toDisk),
        ("download-limited", LimitedDownload.measure),
        ("upload-1g", LargeUpload.measure),
        ("small-files", SmallFiles.measure),
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
        ("store-submit", StoreScale.measureSubmit),
        ("store-recover", StoreScale.measureRecover),
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
            for figure in all where options.names.isEmpty || options.names.contains(figure.name) {
                for result in try figure.measure(options) {
                    // At once, also into a file: a run takes long, and may be ended before its last figure.
                    FileHandle.standardOutput.write(Data(((options.isJSON ? result.json : result.text) + "\n").utf8))
                    if options.isCheck, result.isHeld == false { missed += 1 }
                }
            }
            guard missed == 0 else {
                note("\(missed) bars are missed")
                exit(1)
            }
        } catch {
            note("\(error)")
            exit(2)
        }
    }
}

/// Tells something beside the figures.
func note(_ text: String) { FileHandle.standardError.write(Data("figures: \(text)\n".utf8)) }

/// The command line: names, `--quick` for fewer rounds, `--json` for a JSON object a line, `--check` for status 1 where
/// a bar is missed or could not be measured, `--with NAME=PATH` for programs and folders that are not where they are
/// looked for.
struct Options: Sendable {
    var names: [String] = []
    var isQuick = false
    var isJSON = false
    var isCheck = false
    /// The most transfers that the `core-` figures let wait.
    var largest = Int.max

    /// What `--with` named: programs (transferctl, curl, …), and the folders `memory` and `disk`.
    var paths: [String: String] = [:]

    /// The path of a program; nil where it is not installed.
    func program(_ name: String) -> String? { paths[name] ?? Command.find(name) }
    /// Where files go that must not wait for a disk.
    var memoryFolder: String { paths["memory"] ?? "/dev/shm" }
    /// Where files go that must.
    var diskFolder: String { paths["disk"] ?? "/var/tmp" }

    /// Rounds of each side.
    var rounds: Int { isQuick ? 3 : 7 }

    init(arguments: [String]) throws {
        var rest = arguments[...]
        func number(after name: String) throws -> Int {
            guard let number = rest.popFirst().flatMap({ Int($0) }) else { throw FigureError("\(name) needs a number") }
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
                guard parts.count == 2 else { throw FigureError("--with needs NAME=PATH") }
                paths[parts[0]] = parts[1]
            default:
                guard Figures.all.contains(where: { $0.name == argument }) else {
                    let known = Figures.all.map(\.name).joined(separator: ", ")
                    throw FigureError(
                        "there is no figure '\(argument)'; there are \(known), and --quick, --json, --check, --with NAME=PATH"
                    )
                }
                names.append(argument)
            }
        }
        // One check covers all bars of the deciding code.
        if isCheck, names.contains("core-scale"), !names.contains("core-memory") { names.append("core-memory") }
    }
}

/// What kept a figure from being measured.
struct FigureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// One measured value, and its ratio to another's; lower is better, unless it is to be neither more nor less.
struct Figure {
    var name: String
    /// Nil where it was not measured.
    var ours: Double?
    var unit: String
    /// Who or what it is compared with; nil where the value is told by itself.
    var peer: String?
    /// Nil where the peer is not installed.
    var theirs: Double?
    /// Nil where none is set.
    var bar: Double?
    var rounds: Int
    /// What was made of so many measured values.
    var summary = "rounds, medians"
    /// Whether the bar is held against our value itself rather than against the ratio.
    var barIsAbsolute = false
    /// A bar from below, where too little is a miss as well.
    var lowerBar: Double?

    /// Ours ÷ theirs; nil where there is nothing to divide by.
    var ratio: Double? {
        guard let ours, let theirs, theirs > 0 else { return nil }
        return ours / theirs
    }

    /// Whether the bar is held, not measured being missed; nil where there is none.
    var isHeld: Bool? {
        guard let bar else { return nil }
        return (barIsAbsolute ? ours : ratio).map { $0 <= bar && $0 >= lowerBar ?? -.infinity } ?? false
    }

    var text: String {
        var text = "\(name)  ours "
        text += ours.map { String(format: "%.3f %@", $0, unit) } ?? "not measured"
        if let peer { text += theirs.map { String(format: "  %@ %.3f", peer, $0) } ?? "  \(peer): not measured" }
        if let ratio { text += String(format: ratio < 0.01 ? "  ratio %.2g" : "  ratio %.2f", ratio) }
        if let bar, let isHeld {
            text += "  bar " + (lowerBar.map { String(format: "%g to ", $0) } ?? "")
            text += String(format: "%g %@", bar, isHeld ? "held" : "MISSED")
        }
        return text + "  (\(rounds) \(summary))"
    }

    var json: String {
        var object: [String: Any] = [
            "name": name, "unit": unit, "rounds": rounds, "date": ISO8601DateFormatter().string(from: Date()),
        ]
        object["peer"] = peer.map { $0 as Any } ?? NSNull()
        object["bar"] = bar.map { $0 as Any } ?? NSNull()
        if let lowerBar { object["lowerBar"] = lowerBar }
        object["held"] = isHeld.map { $0 as Any } ?? NSNull()
        object["ours"] = ours.map { $0 as Any } ?? NSNull()
        object["theirs"] = theirs.map { $0 as Any } ?? NSNull()
        object["ratio"] = ratio.map { $0 as Any } ?? NSNull()
        let data = (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}
