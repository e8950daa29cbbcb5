// SPDX-License-Identifier: Apache-2.0
import Foundation
import PolicyLab

/// Replays devices under policies, on all cores. The results are in the order of the devices, whatever finished
/// first.
enum StudyRunner {
    /// The results of one device.
    struct Item: Sendable {
        /// The outcomes by policy; `nil` for the optimum.
        var outcomes: [DeviceOutcome?]
        var optimum: Optimum
    }

    /// Returns the results by device.
    ///
    /// - Parameter width: The number of devices to replay in parallel; 0 for one per core.
    static func run(
        _ cases: [DeviceCase], _ policies: [LabPolicy], _ settings: ReplaySettings, width: Int
    ) async -> [Item] {
        await map(cases, width: width) { device in
            let optimum = Optimum(device.trace, jobs: device.jobs, settings: settings)
            return Item(outcomes: policies.map { replay(device, $0, settings) }, optimum: optimum)
        }
    }

    /// Returns the results of a transformation that runs on several cores, in the order of the elements.
    ///
    /// - Parameters:
    ///   - width: The number of elements to transform in parallel; 0 for one per core.
    ///   - unit: The name of the elements in the report of the progress, in the plural.
    static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], width: Int, unit: String = "devices",
        _ transform: @escaping @Sendable (Element) -> Result
    ) async -> [Result] {
        let width = width > 0 ? width : ProcessInfo.processInfo.activeProcessorCount
        var results: [Result?] = Array(repeating: nil, count: elements.count)
        var progress = ProgressReport(unit, total: elements.count)
        defer { progress.finish() }
        await withTaskGroup(of: (Int, Result).self) { group in
            for (position, element) in elements.enumerated() {
                if position >= width, let (index, result) = await group.next() {
                    results[index] = result
                    progress.advance()
                }
                group.addTask { (position, transform(element)) }
            }
            for await (index, result) in group {
                results[index] = result
                progress.advance()
            }
        }
        return results.compactMap { $0 }
    }

    /// Replays devices one after another, and passes their totals on as they finish, in the order of the devices. Only
    /// a few devices are in memory at a time.
    ///
    /// - Parameters:
    ///   - next: Returns the next device; `nil` at the end.
    ///   - width: The number of devices to replay in parallel; 0 for one per core.
    ///   - consume: Receives the name and the totals of each device.
    static func stream(
        _ next: () throws -> PendingDevice?, _ policies: [LabPolicy], _ study: StudyOptions,
        exactLimit: Int = ValueDistribution.partLimit, consume: (String, StudyTotals) throws -> Void
    ) async throws {
        let settings = try study.readSettings()
        let width = study.jobs > 0 ? study.jobs : ProcessInfo.processInfo.activeProcessorCount
        try await withThrowingTaskGroup(of: (Int, String, StudyTotals).self) { group in
            var (started, finished, passed) = (0, 0, 0)
            var early: [Int: (String, StudyTotals)] = [:]
            func collect() async throws -> Bool {
                guard let (index, name, totals) = try await group.next() else { return false }
                early[index] = (name, totals)
                finished += 1
                while let (name, totals) = early.removeValue(forKey: passed) {
                    try consume(name, totals)
                    passed += 1
                }
                return true
            }
            while let device = try next() {
                guard let load = device.load else { continue }
                // A device that takes long does not let the others wait, within limits.
                while started - finished >= width || started - passed >= width * 64, try await collect() {}
                let index = started
                started += 1
                group.addTask {
                    let device = try load()
                    try study.price.check([device.trace], settings)
                    let optimum = Optimum(device.trace, jobs: device.jobs, settings: settings)
                    let outcomes = policies.map { replay(device, $0, settings) }
                    let totals = StudyTotals(
                        device: device.name, outcomes, optimum: optimum, settings: settings, exactLimit: exactLimit)
                    return (index, device.name, totals)
                }
            }
            while try await collect() {}
        }
    }

    /// Returns the outcome of a device under a policy; `nil` for the optimum, which is not replayed.
    private static func replay(
        _ device: DeviceCase, _ choice: LabPolicy, _ settings: ReplaySettings
    ) -> DeviceOutcome? {
        guard let policy = choice.policy else { return nil }
        var replay = Replay(device.trace, jobs: device.jobs, policy: policy, settings: settings)
        return replay.run()
    }

    /// Returns the study that the results form.
    static func study(
        _ items: [Item], devices: [String], policies: [String], settings: ReplaySettings, seed: UInt64
    ) -> Study {
        let results = policies.indices.map { index -> Study.Result in
            let outcomes = items.compactMap { $0.outcomes[index] }
            return (policies[index], outcomes.count == items.count ? outcomes : nil)
        }
        return Study(results, devices: devices, optima: items.map(\.optimum), settings: settings, seed: seed)
    }
}
