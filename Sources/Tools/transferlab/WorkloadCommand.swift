// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import PolicyLab

/// The `transferlab workload` command: generates jobs for traces.
struct WorkloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workload",
        abstract: "Generate jobs for traces: two hours apart on average, around 20 MB, due after one day.")

    @OptionGroup var traces: TraceOptions

    @Option(help: "The seed of the first trace. Each further trace uses the next number.")
    var seed: UInt64 = WorkloadGenerator.firstSeed

    func run() throws {
        let devices = try traces.all().enumerated().map { number, trace in
            Workload.Device(
                name: trace.device, jobs: WorkloadGenerator.jobs(for: trace, seed: seed &+ UInt64(number)))
        }
        Console.write(Workload(devices: devices).csv)
    }
}
