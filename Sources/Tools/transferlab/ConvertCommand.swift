// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The `transferlab convert` command: converts other programs' records into a trace.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert a recording of UPower, Windows, or the ExtraSensory study to a trace.",
        discussion: """
            upower: /var/lib/upower/history-charge-*.dat. winreport: powercfg /batteryreport /xml. extrasensory: \
            *.features_labels.csv, unpacked. The first two formats do not record the network; name it with --net.
            """)

    @Argument(help: "The file to read.")
    var file: String

    @Option(help: "The format of the file: upower, winreport, or extrasensory.")
    var from: String

    @Option(help: "The network to assume if the file does not record it: wifi, ethernet, cell, none, or unknown.")
    var net: String?

    @Option(
        name: .customLong("max-gap"),
        help: "The longest gap that a reading covers if the next reading differs, such as 150s. Not for winreport.")
    var maximumGap: String?

    @Option(name: .shortAndLong, help: "The output file; - for standard output.")
    var output: String = "-"

    func run() throws {
        let device = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
        var rule = ReadingRule()
        if let maximumGap { rule.maximumGap = .seconds(try DurationText.seconds(maximumGap, for: "--max-gap")) }
        let trace: Trace
        switch from {
        case "upower":
            trace = try Trace(
                upower: Files.read(file), device: device, file: file, network: assumedNetwork(), rule: rule)
        case "winreport":
            guard maximumGap == nil else {
                throw UsageError("--max-gap does not apply to winreport, which records the length of each period")
            }
            trace = try Trace(
                windowsReport: Files.read(file), device: device, file: file, network: assumedNetwork())
        case "extrasensory":
            guard net == nil else {
                throw UsageError("--net does not apply to extrasensory, which records the network")
            }
            trace = try Trace(extraSensory: Files.read(file), device: device, file: file, rule: rule)
        default:
            throw UsageError("--from must be upower, winreport, or extrasensory, not '\(from)'")
        }
        try Files.write(trace.csv, to: output)
    }

    private func assumedNetwork() throws -> Trace.Network {
        guard let net else {
            throw UsageError("\(from) does not record the network; name the network to assume, such as --net wifi")
        }
        guard let network = Trace.Network(rawValue: net) else {
            throw UsageError("--net must be wifi, ethernet, cell, none, or unknown, not '\(net)'")
        }
        return network
    }
}
