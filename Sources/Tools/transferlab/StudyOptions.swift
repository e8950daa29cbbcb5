// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import TransferScheduling

/// The options for the input and the settings of a replay.
struct StudyOptions: ParsableArguments {
    @Argument(help: "Files with recorded conditions (CSV), one per device.")
    var traces: [String]

    @Option(help: "The file with the jobs (CSV); 'generated' creates random jobs for each trace.")
    var workload: String

    @Option(
        name: .customLong("wifi-rate"),
        help: "The rate of Wi-Fi and wired networks in bytes per second, unless the trace states it.")
    var wifiRate: Int64 = 2_500_000

    @Option(help: "The rate of cellular networks in bytes per second, unless the trace states it.")
    var cellRate: Int64 = 625_000

    @Option(help: "The costs of 10^6 bytes on AC unmetered, battery unmetered, AC metered, battery metered.")
    var costs: String = "0,1,4,5"

    @Option(help: "The cost of 10^6 bytes that are late or never arrive.")
    var penalty: Double = 100

    @Option(help: "The number of transfers that run at the same time.")
    var concurrency: Int = 1

    @Flag(help: "Use the settings of transferd: four slots, debounced conditions, no preemption.")
    var daemon = false

    @Option(help: "The seed of all random numbers.")
    var seed: UInt64 = 1

    @Option(help: "The number of parallel replays; 0 for one per core. Does not affect results.")
    var jobs: Int = 0

    func validate() throws {
        guard wifiRate > 0, cellRate > 0, wifiRate <= 1_000_000_000_000, cellRate <= 1_000_000_000_000 else {
            throw ValidationError("--wifi-rate and --cell-rate must be from 1 to 10^12")
        }
        guard penalty >= 0, penalty.isFinite else { throw ValidationError("--penalty must be 0 or more") }
        guard (1...1000).contains(concurrency) else { throw ValidationError("--concurrency must be from 1 to 1000") }
        guard (0...1024).contains(jobs) else { throw ValidationError("--jobs must be from 0 to 1024") }
        guard parsedCosts != nil else { throw ValidationError("--costs must be four numbers of 0 or more: 0,1,4,5") }
    }

    private var parsedCosts: [Double]? {
        let values = costs.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        let known = values.compactMap { $0 }.filter { $0 >= 0 && $0.isFinite }
        return known.count == 4 && values.count == 4 ? known : nil
    }

    var settings: ReplaySettings {
        var settings = ReplaySettings()
        settings.wifiRate = wifiRate
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
        var selectedIndices: [Int]
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
            let selectedIndices = devices.indices.filter(isWanted)
            let cases = try selectedIndices.map { index in
                let trace = try Files.trace(traces[index], device: devices[index])
                let seed = WorkloadGenerator.firstSeed + UInt64(index)
                return DeviceCase(
                    name: trace.device, trace: trace, jobs: WorkloadGenerator.jobs(for: trace, seed: seed))
            }
            return Selection(
                names: devices, selectedIndices: selectedIndices, cases: cases, digest: StudyPart.digest([]))
        }
        let bytes = try Files.read(workload)
        let (matches, unused) = try DeviceCase.match(
            names: devices, Workload(csv: bytes, file: workload), file: workload)
        if !unused.isEmpty {
            Console.error("transferlab: skipped, no jobs in \(workload): \(unused.joined(separator: ", "))")
        }
        let selectedIndices = matches.indices.filter(isWanted)
        let cases = try selectedIndices.map { index in
            let (number, device) = matches[index]
            let trace = try Files.trace(traces[number], device: devices[number])
            return DeviceCase(name: device.name, trace: trace, jobs: device.jobs)
        }
        return Selection(
            names: matches.map(\.device.name), selectedIndices: selectedIndices, cases: cases,
            digest: StudyPart.digest(bytes))
    }

    /// Replays the devices under the policies.
    func run(_ cases: [DeviceCase], _ policies: [LabPolicy]) async -> (Study, [StudyRunner.Item]) {
        let items = await StudyRunner.run(cases, policies, settings, width: jobs)
        let study = StudyRunner.study(
            items, devices: cases.map(\.name), policies: policies.map(\.name), settings: settings, seed: seed)
        return (study, items)
    }
}
