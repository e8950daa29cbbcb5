// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs figures by name and prints them: ours and the named peer's, interleaved, medians and their ratio.
@main
enum Figures {
    /// What can be measured, by name.
    static let all: [(name: String, measure: @Sendable (Options) throws -> [Figure])] = [
        ("download-1g", DownloadOneGiB.measure),
        ("memory", DownloadOneGiB.measureMemory),
    ]

    static func main() {
        do {
            let options = try Options(arguments: Array(CommandLine.arguments.dropFirst()))
            for figure in all where options.names.isEmpty || options.names.contains(figure.name) {
                for result in try figure.measure(options) { print(options.isJSON ? result.json : result.text) }
            }
        } catch {
            FileHandle.standardError.write(Data("figures: \(error)\n".utf8))
            exit(2)
        }
    }
}

/// The command line: names, `--quick` for fewer rounds, `--json` for a JSON object a line.
struct Options: Sendable {
    var names: [String] = []
    var isQuick = false
    var isJSON = false

    /// Rounds of each side.
    var rounds: Int { isQuick ? 3 : 7 }

    init(arguments: [String]) throws {
        for argument in arguments {
            switch argument {
            case "--quick": isQuick = true
            case "--json": isJSON = true
            default:
                guard Figures.all.contains(where: { $0.name == argument }) else {
                    let known = Figures.all.map(\.name).joined(separator: ", ")
                    throw FigureError("there is no figure '\(argument)'; there are \(known), and --quick, --json")
                }
                names.append(argument)
            }
        }
    }
}

/// What kept a figure from being measured.
struct FigureError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// One measured ratio; lower is better.
struct Figure {
    var name: String
    var ours: Double
    var unit: String
    var peer: String
    /// Nil where the peer is not installed.
    var theirs: Double?
    var bar: Double
    var rounds: Int
    /// Whether the bar is held against our value itself rather than against the ratio.
    var barIsAbsolute = false

    /// Ours ÷ theirs.
    var ratio: Double? { theirs.map { $0 > 0 ? ours / $0 : .infinity } }

    var text: String {
        let ours = String(format: "%@  ours %.3f %@", name, ours, unit)
        guard let theirs, let ratio else { return "\(ours)  \(peer): not installed" }
        let held = barIsAbsolute ? self.ours <= bar : ratio <= bar
        return ours
            + String(
                format: "  %@ %.3f  ratio %.2f  bar %.2f %@  (%d rounds, medians)",
                peer, theirs, ratio, bar, held ? "held" : "MISSED", rounds)
    }

    var json: String {
        var object: [String: Any] = [
            "name": name, "ours": ours, "unit": unit, "peer": peer, "bar": bar, "rounds": rounds,
            "date": ISO8601DateFormatter().string(from: Date()),
        ]
        object["theirs"] = theirs.map { $0 as Any } ?? NSNull()
        object["ratio"] = ratio.map { $0 as Any } ?? NSNull()
        let data = (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}
