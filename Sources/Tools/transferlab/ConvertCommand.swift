// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The `transferlab convert` command: converts other programs' records into a trace.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Makes a trace of what UPower, Windows or the ExtraSensory study recorded.",
        discussion: """
            upower: /var/lib/upower/history-charge-*.dat. winreport: powercfg /batteryreport /xml. extrasensory: \
            *.features_labels.csv, unpacked. The first two know nothing of the network: --net says what to assume.
            """)

    @Argument(help: "The file to read.")
    var file: String

    @Option(help: "What wrote it: upower, winreport or extrasensory.")
    var from: String

    @Option(help: "The network to assume where the file tells none: wifi, ethernet, cell, none or unknown.")
    var net: String?

    @Option(help: "How long a reading holds when the next one is different: 150s. Not for winreport.")
    var hold: String?

    @Option(name: .shortAndLong, help: "The file to write; - for standard output.")
    var output: String = "-"

    func run() throws {
        let device = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
        var rule = ReadingRule()
        if let hold { rule.hold = .seconds(try DurationText.seconds(hold, for: "--hold")) }
        let trace: Trace
        switch from {
        case "upower":
            trace = try Trace(
                upower: Files.read(file), device: device, file: file, network: assumedNetwork(), rule: rule)
        case "winreport":
            guard hold == nil else { throw UsageError("--hold means nothing for winreport, which tells all lengths") }
            trace = try Trace(
                windowsReport: Files.read(file), device: device, file: file, network: assumedNetwork())
        case "extrasensory":
            guard net == nil else { throw UsageError("--net means nothing for extrasensory: it tells the network") }
            trace = try Trace(extraSensory: Files.read(file), device: device, file: file, rule: rule)
        default:
            throw UsageError("--from must be upower, winreport or extrasensory, not '\(from)'")
        }
        try Files.write(trace.csv, to: output)
    }

    private func assumedNetwork() throws -> Trace.Network {
        guard let net else {
            throw UsageError("\(from) tells no network; say what to assume: --net wifi")
        }
        guard let network = Trace.Network(rawValue: net) else {
            throw UsageError("--net must be wifi, ethernet, cell, none or unknown, not '\(net)'")
        }
        return network
    }
}
