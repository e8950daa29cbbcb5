// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab

/// The `transferlab devices` command: a filter from devices to their results.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Read the names of devices from standard input, and write a line of results for each.",
        discussion: """
            A line of input is the name or the number of a device of --population, the name of a trace of --traces-from, or \
            the path of a trace. A line of output is a JSON document that 'merge' reads. The lines are in the order of the \
            input. For Spark's RDD.pipe, Hadoop streaming, and GNU parallel --pipe.
            """)

    @OptionGroup var study: StudyOptions
    @OptionGroup var policy: PolicyOptions

    @Flag(help: "Write the names of all devices instead, as input for other runs of this command.")
    var list = false

    func validate() throws {
        guard study.traces.tracesFrom != "-" else {
            throw ValidationError("--traces-from - cannot be used, because standard input names the devices")
        }
    }

    func run() async throws {
        guard !list else { return try printNames() }
        // Lines on the terminal show the progress themselves.
        var progress = Console.isTerminal ? nil : ProgressReport("devices", total: nil)
        defer { progress?.finish() }
        try await replay(namedBy: LineReader("-")) {
            Console.write($0)
            progress?.advance()
        }
    }

    /// Replays the devices that the lines of a stream name.
    func replay(namedBy input: LineReader, write: (String) -> Void) async throws {
        let policies = try policy.selected()
        let lookup = try DeviceLookup(study)
        let header = try study.header(policies, workload: lookup.workloadDigest, shards: nil)
        try await StudyRunner.stream({ try input.word().map { try lookup.device($0) } }, policies, study) {
            name, totals in
            let part = StudyPart(header: header, devices: lookup.all, device: name, totals: totals)
            write(try part.line())
        }
    }

    private func printNames() throws {
        var devices = try study.devices()
        while let device = try devices.next(where: { _ in true }) { Console.print(device.name) }
    }
}

/// The devices of a study by name.
struct DeviceLookup {
    private enum Source {
        case population(Population)
        /// The devices of the traces that the options name, by name.
        case traces([String: PendingDevice])
        /// Any path of a trace, with the jobs by the name of the device.
        case paths([String: [Job]])
    }

    private let source: Source
    let workloadDigest: UInt64
    /// All devices of the study; `nil` if they are unknown.
    let all: DeviceSet?

    init(_ study: StudyOptions) throws {
        if let text = study.traces.population, study.workload == "generated" {
            let population = try PopulationText.population(text)
            source = .population(population)
            workloadDigest = StudyPart.digest([])
            all = (0..<population.devices).reduce(into: DeviceSet()) { $0.insert(population.hash(of: $1)) }
            return
        }
        guard !study.traces.isEmpty else {
            guard study.workload != "generated" else {
                throw UsageError(
                    "the generated jobs of a device depend on its position in the study: name all traces with "
                        + "--traces-from, or the jobs with --workload FILE")
            }
            let bytes = try Files.read(study.workload)
            let workload = try Workload(csv: bytes, file: study.workload)
            source = .paths(Dictionary(workload.devices.map { ($0.name, $0.jobs) }) { first, _ in first })
            (workloadDigest, all) = (StudyPart.digest(bytes), nil)
            return
        }
        var (devices, known): (StudyDevices, [String: PendingDevice]) = (try study.devices(), [:])
        while let device = try devices.next(where: { _ in true }) { known[device.name] = device }
        (source, workloadDigest, all) = (.traces(known), devices.workloadDigest, devices.all)
    }

    /// Returns the device that a line of input names.
    func device(_ line: String) throws -> PendingDevice {
        switch source {
        case .population(let population):
            guard let number = population.number(of: line) else {
                throw UsageError(
                    "'\(line)' is not a device of the population: use a name such as "
                        + "\(population.name(of: 0)), or a number from 0 to \(population.devices - 1)")
            }
            return PendingDevice(name: population.name(of: number)) {
                guard let trace = population.trace(of: number) else { throw UsageError("the population has no days") }
                return StudyDevices.generated(trace, position: number)
            }
        case .traces(let known):
            guard let device = known[line] ?? known[TraceSequence.device(line)] else {
                throw UsageError(
                    "'\(line)' is not a device of the study; 'transferlab devices --list' writes all names")
            }
            return device
        case .paths(let workload):
            let name = TraceSequence.device(line)
            guard let jobs = workload[name] else {
                throw UsageError("the workload has no jobs for \(name)")
            }
            return PendingDevice(name: name) {
                DeviceCase(name: name, trace: try Files.trace(line, device: name), jobs: jobs)
            }
        }
    }
}
