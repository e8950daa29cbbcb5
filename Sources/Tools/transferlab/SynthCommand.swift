// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import TransferModel

/// The `transferlab synth` command: generates synthetic days.
struct SynthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synth",
        abstract: "Makes up days: power and network in turns of heavy-tailed lengths.",
        discussion: "Made-up days are for tests and for scale; they know no hours and no weeks.",
        subcommands: [RenewalCommand.self, FittedCommand.self])
}

/// The options for the output of synthetic days.
struct SynthOptions: ParsableArguments {
    @Option(help: "How many days.")
    var days: Double = 30

    @Option(help: "How many devices; each gets a file and a seed of its own.")
    var devices: Int = 1

    @Option(help: "The seed of the first device; each further one has the next.")
    var seed: UInt64 = 1

    @Option(help: "When the days begin, in unix seconds.")
    var start: Int64 = 1_700_000_000

    @Option(help: "What there is while there is no Wi-Fi: cell or none.")
    var otherwise: String = "cell"

    @Option(name: .shortAndLong, help: "The folder to write into, which must be there.")
    var output: String = "."

    func write(_ model: RenewalModel, name: String) throws {
        guard (1...1_000_000).contains(devices) else { throw UsageError("--devices must be from 1 to 1 000 000") }
        guard let network = Trace.Network(rawValue: otherwise), network == .cell || network == .none else {
            throw UsageError("--otherwise must be cell or none, not '\(otherwise)'")
        }
        guard (-2_000_000_000...2_000_000_000).contains(start) else {
            throw UsageError("--start must lie within ±2·10⁹ s of 1970")
        }
        var model = model
        model.otherNetwork = network
        let width = String(devices - 1).count
        for number in 0..<devices {
            let digits = String(number)
            let device = "\(name)-\(String(repeating: "0", count: width - digits.count))\(digits)"
            let begin = WallTime(secondsSinceEpoch: start)
            guard let trace = model.trace(device: device, days: days, start: begin, seed: seed &+ UInt64(number)) else {
                throw UsageError("--days must be above 0 and at most 40 000")
            }
            try Files.write(trace.csv, to: "\(output)/\(device).csv")
        }
    }
}

/// The `transferlab synth renewal` command: generates days from given parameters.
struct RenewalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renewal", abstract: "Days with a given share of Wi-Fi and mean time without.")

    @Option(help: "The share of time with Wi-Fi.")
    var p: Double = 0.65

    @Option(help: "The mean time without Wi-Fi.")
    var meanOff: String = "40m"

    @Option(help: "The Weibull shape of all periods; real days show about 0.5, 1 is exponential.")
    var shape: Double = 0.55

    @Option(help: "The share of time on mains; 1 for always.")
    var ac: Double = 1

    @Option(help: "The mean time on battery.")
    var meanBattery: String = "4h"

    @OptionGroup var synth: SynthOptions

    func run() throws {
        let seconds = try DurationText.seconds(meanOff, for: "--mean-off")
        guard let wifi = Alternation(share: p, meanOff: seconds, shape: shape) else {
            throw UsageError("--p must lie between 0 and 1, --shape from 0.1 to 10")
        }
        var model = RenewalModel(wifi: wifi)
        if ac != 1 {
            let onBattery = try DurationText.seconds(meanBattery, for: "--mean-battery")
            guard let mains = Alternation(share: ac, meanOff: onBattery, shape: shape) else {
                throw UsageError("--ac must be above 0 and at most 1")
            }
            model.mains = mains
        }
        try synth.write(model, name: "renewal")
    }
}

/// The `transferlab synth fitted` command: generates days that resemble given traces.
struct FittedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fitted", abstract: "Days whose periods are as long as those of given traces.")

    @Argument(help: "Conditions of one device each, as comma-separated values.")
    var traces: [String]

    @OptionGroup var synth: SynthOptions

    func run() throws {
        guard let model = RenewalModel(fitting: try Files.traces(traces)) else {
            throw UsageError("the traces show too few whole periods with and without Wi-Fi or mains to fit lengths to")
        }
        try synth.write(model, name: "fitted")
    }
}
