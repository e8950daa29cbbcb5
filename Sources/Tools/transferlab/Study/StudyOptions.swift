// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import PolicyLab
import TransferScheduling

/// The options for the input and the settings of a replay.
struct StudyOptions: ParsableArguments {
    @OptionGroup var traces: TraceOptions

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

    @Flag(
        name: .customLong("late-last"),
        help: "Put transfers past their deadlines behind those that can still be on time, as transferd does.")
    var lateLast = false

    @Option(help: "The seed of all random numbers except those of generated jobs.")
    var seed: UInt64 = 1

    @Option(help: "The number of parallel replays; 0 for one per core. Does not affect results.")
    var jobs: Int = 0

    @OptionGroup var price: PriceOptions

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

    /// Returns the settings of the replays, with the prices from their file.
    func readSettings() throws -> ReplaySettings {
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
            settings.scheduler.startsLateTransfersLast = lateLast
        }
        try price.apply(to: &settings)
        return settings
    }

    /// Returns the devices of the study, one after another.
    func devices() throws -> StudyDevices { try StudyDevices(traces, workload: workload) }

    /// Returns the devices that have jobs, in memory.
    func cases() throws -> [DeviceCase] { try cases(of: devices()) }

    private func cases(of devices: StudyDevices) throws -> [DeviceCase] {
        var (devices, cases): (StudyDevices, [DeviceCase]) = (devices, [])
        var progress = ProgressReport("traces read", total: devices.count)
        defer { progress.finish() }
        while let device = try devices.next(where: { _ in true }) {
            if let load = device.load { cases.append(try load()) }
            progress.advance()
        }
        return cases
    }

    /// Returns the devices that have jobs and whose traces record enough of the time, and warns about gaps.
    ///
    /// Generated jobs depend on a device's position among the devices that remain.
    ///
    /// - Parameter devices: The devices of the study, if they have been opened.
    func cases(_ coverage: CoverageOptions, of devices: StudyDevices? = nil) throws -> [DeviceCase] {
        let all = try cases(of: devices ?? self.devices())
        var cases = all.filter { coverage.accepts($0.trace) }
        if workload == "generated", cases.count < all.count {
            cases = cases.enumerated().map { StudyDevices.generated($1.trace, position: $0) }
        }
        try coverage.report(cases, of: all.count)
        return cases
    }

    /// Replays the devices under the policies.
    func run(_ cases: [DeviceCase], _ policies: [LabPolicy]) async throws -> (Study, [StudyRunner.Item]) {
        let settings = try readSettings()
        try price.check(cases.map(\.trace), settings)
        let items = await StudyRunner.run(cases, policies, settings, width: jobs)
        let study = StudyRunner.study(
            items, devices: cases.map(\.name), policies: policies.map(\.name), settings: settings, seed: seed)
        return (study, items)
    }
}
