// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import TransferModel

/// The `transferlab synth` command: generates synthetic days.
struct SynthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "synth",
        abstract: "Generate synthetic days, in which power and network alternate.",
        discussion: "Synthetic days are for tests and scale. They do not depend on the hour or the weekday.",
        subcommands: [RenewalCommand.self, FittedCommand.self])
}

/// The options for the output of synthetic days.
struct SynthOptions: ParsableArguments {
    @Option(help: "The number of days.")
    var days: Double = 30

    @Option(help: "The number of devices. Each device has its own file and seed.")
    var devices: Int = 1

    @Option(help: "The seed of the first device. Each further device uses the next number.")
    var seed: UInt64 = 1

    @Option(help: "The start of the first day in Unix seconds.")
    var start: Int64 = 1_700_000_000

    @Option(help: "The network in periods without Wi-Fi: cell or none.")
    var otherwise: String = "cell"

    @Option(name: .shortAndLong, help: "The output folder, which is created if it is missing.")
    var output: String = "."

    /// Returns the devices of a model.
    ///
    /// - Parameter name: The beginning of the devices' names.
    func population(_ model: RenewalModel, name: String) throws -> Population {
        guard (1...Population.maximumDevices).contains(devices) else {
            throw UsageError("--devices must be from 1 to 10,000,000")
        }
        guard let network = Trace.Network(rawValue: otherwise), network == .cell || network == .none else {
            throw UsageError("--otherwise must be cell or none, not '\(otherwise)'")
        }
        guard (-2_000_000_000...2_000_000_000).contains(start) else {
            throw UsageError("--start must be from -2,000,000,000 to 2,000,000,000")
        }
        var model = model
        model.otherNetwork = network
        let begin = WallTime(secondsSinceEpoch: start)
        guard let population = Population(model, name: name, devices: devices, days: days, start: begin, seed: seed)
        else { throw UsageError("--days must be above 0 and at most 40,000") }
        return population
    }

    /// Writes a trace for each device to the output folder.
    func write(_ population: Population) throws {
        try Files.createFolder(output)
        var progress = ProgressReport("devices", total: population.devices)
        defer { progress.finish() }
        for number in 0..<population.devices {
            progress.advance()
            guard let trace = population.trace(of: number) else { continue }
            try Files.write(trace.csv, to: "\(output)/\(trace.device).csv")
        }
    }
}

/// The `transferlab synth renewal` command: generates days from given parameters.
struct RenewalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renewal", abstract: "Generate days with a given share of Wi-Fi.")

    @Option(help: "The share of time with Wi-Fi.")
    var p: Double = 0.65

    @Option(help: "The mean length of a period without Wi-Fi.")
    var meanOff: String = "40m"

    @Option(help: "The Weibull shape of all periods. Real days have about 0.5; 1 is exponential.")
    var shape: Double = 0.55

    @Option(help: "The share of time on AC power; 1 for always.")
    var ac: Double = 1

    @Option(help: "The mean length of a period on battery.")
    var meanBattery: String = "4h"

    @OptionGroup var synth: SynthOptions

    func run() throws { try synth.write(population()) }

    /// Returns the devices that the options describe.
    func population() throws -> Population {
        let seconds = try DurationText.seconds(meanOff, for: "--mean-off")
        guard let wifi = Alternation(share: p, meanOff: seconds, shape: shape) else {
            throw UsageError("--p must be between 0 and 1, and --shape from 0.1 to 10")
        }
        var model = RenewalModel(wifi: wifi)
        if ac != 1 {
            let onBattery = try DurationText.seconds(meanBattery, for: "--mean-battery")
            guard let acPower = Alternation(share: ac, meanOff: onBattery, shape: shape) else {
                throw UsageError("--ac must be above 0 and at most 1")
            }
            model.acPower = acPower
        }
        return try synth.population(model, name: "renewal")
    }
}

/// The `transferlab synth fitted` command: generates days that resemble given traces.
struct FittedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fitted", abstract: "Generate days with the distribution of periods in given traces.")

    @OptionGroup var traces: TraceOptions

    @OptionGroup var synth: SynthOptions

    func run() throws {
        guard let model = RenewalModel(fitting: try traces.all()) else {
            throw UsageError("too few complete periods with and without Wi-Fi or AC power to fit a distribution")
        }
        try synth.write(synth.population(model, name: "fitted"))
    }
}
