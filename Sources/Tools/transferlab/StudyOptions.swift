// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import TransferScheduling

/// The options for the input and the settings of a replay.
struct StudyOptions: ParsableArguments {
    @Argument(help: "Conditions of one device each, as comma-separated values.")
    var traces: [String]

    @Option(help: "What is to be transferred, as comma-separated values; 'generated' makes it up for each trace.")
    var workload: String

    @Option(help: "Bytes a second over Wi-Fi and cable where the trace does not say.")
    var freeRate: Int64 = 2_500_000

    @Option(help: "Bytes a second over a mobile network where the trace does not say.")
    var cellRate: Int64 = 625_000

    @Option(help: "What 10^6 bytes cost on AC and free, battery and free, AC and metered, battery and metered.")
    var costs: String = "0,1,4,5"

    @Option(help: "What 10^6 late or undone bytes cost.")
    var penalty: Double = 100

    @Option(help: "How many transfers run at once.")
    var concurrency: Int = 1

    @Flag(help: "As programs run it: four slots, conditions that settle, no preemption.")
    var daemon = false

    @Option(help: "Seed of all that is random.")
    var seed: UInt64 = 1

    @Option(help: "How many replays run side by side; 0 for one on each core. Changes no result.")
    var jobs: Int = 0

    func validate() throws {
        guard freeRate > 0, cellRate > 0, freeRate <= 1_000_000_000_000, cellRate <= 1_000_000_000_000 else {
            throw ValidationError("a rate must be from 1 to 10^12 bytes a second")
        }
        guard penalty >= 0, penalty.isFinite else { throw ValidationError("--penalty must be a number from 0 up") }
        guard (1...1000).contains(concurrency) else { throw ValidationError("--concurrency must be from 1 to 1000") }
        guard (0...1024).contains(jobs) else { throw ValidationError("--jobs must be from 0 to 1024") }
        guard parsedCosts != nil else { throw ValidationError("--costs must be four numbers from 0 up: 0,1,4,5") }
    }

    private var parsedCosts: [Double]? {
        let values = costs.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        let known = values.compactMap { $0 }.filter { $0 >= 0 && $0.isFinite }
        return known.count == 4 && values.count == 4 ? known : nil
    }

    var settings: ReplaySettings {
        var settings = ReplaySettings()
        settings.freeRate = freeRate
        settings.cellRate = cellRate
        settings.costs = parsedCosts ?? settings.costs
        settings.penalty = penalty
        settings.seed = seed
        if daemon {
            settings.scheduler = ReplaySettings.daemonScheduler
        } else {
            settings.scheduler.globalSlots = concurrency
        }
        return settings
    }

    /// Returns the devices that have jobs.
    func cases() throws -> [DeviceCase] { try selection { _ in true }.cases }

    /// A selection among the devices that have jobs.
    struct Selection {
        /// The names of all devices with jobs, in order.
        var names: [String]
        /// The indices of the selected devices in ``names``.
        var places: [Int]
        /// The selected devices, in order.
        var cases: [DeviceCase]
        /// A checksum of the workload, which covers the jobs of all devices.
        var digest: UInt64
    }

    /// Returns the devices with jobs whose index is wanted. The traces of other devices are not read.
    func selection(where isWanted: (Int) -> Bool) throws -> Selection {
        guard !traces.isEmpty else { throw UsageError("no trace is given") }
        let devices = try Files.devices(traces)
        guard workload != "generated" else {
            let places = devices.indices.filter(isWanted)
            let cases = try places.map { place in
                let trace = try Files.trace(traces[place], device: devices[place])
                let seed = WorkloadGenerator.firstSeed + UInt64(place)
                return DeviceCase(
                    name: trace.device, trace: trace, jobs: WorkloadGenerator.jobs(for: trace, seed: seed))
            }
            return Selection(names: devices, places: places, cases: cases, digest: StudyPart.digest([]))
        }
        let bytes = try Files.read(workload)
        let (matches, unused) = try DeviceCase.match(
            names: devices, Workload(csv: bytes, file: workload), file: workload)
        if !unused.isEmpty {
            Console.error("transferlab: \(workload) has no jobs for \(unused.joined(separator: ", ")); left out")
        }
        let places = matches.indices.filter(isWanted)
        let cases = try places.map { place in
            let (number, device) = matches[place]
            let trace = try Files.trace(traces[number], device: devices[number])
            return DeviceCase(name: device.name, trace: trace, jobs: device.jobs)
        }
        return Selection(
            names: matches.map(\.device.name), places: places, cases: cases, digest: StudyPart.digest(bytes))
    }

    /// Replays the devices under the policies.
    func run(_ cases: [DeviceCase], _ policies: [LabPolicy]) async -> (Study, [StudyRunner.Item]) {
        let items = await StudyRunner.run(cases, policies, settings, width: jobs)
        let study = StudyRunner.study(
            items, devices: cases.map(\.name), policies: policies.map(\.name), settings: settings, seed: seed)
        return (study, items)
    }
}
