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
        let width = width > 0 ? width : ProcessInfo.processInfo.activeProcessorCount
        var items: [Item?] = Array(repeating: nil, count: cases.count)
        await withTaskGroup(of: (Int, Item).self) { group in
            for (position, device) in cases.enumerated() {
                if position >= width, let (index, item) = await group.next() { items[index] = item }
                group.addTask {
                    let optimum = Optimum(device.trace, jobs: device.jobs, settings: settings)
                    return (position, Item(outcomes: policies.map { replay(device, $0, settings) }, optimum: optimum))
                }
            }
            for await (index, item) in group { items[index] = item }
        }
        return items.compactMap { $0 }
    }

    /// Returns the outcome of a device under a policy; `nil` for the optimum, which is not replayed.
    private static func replay(
        _ device: DeviceCase, _ choice: LabPolicy, _ settings: ReplaySettings
    ) -> DeviceOutcome? {
        guard let policy = choice.policy(on: device.trace, settings: settings) else { return nil }
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

    /// Returns the page of a study. The page draws the days of three devices: the best, the median, and the worst
    /// device under the study's first policy.
    static func page(
        _ study: Study, _ items: [Item], _ cases: [DeviceCase], _ policies: [LabPolicy], _ settings: ReplaySettings
    ) -> StudyPage {
        let replayed = policies.filter { !$0.isOptimum }.prefix(4)
        let shares = study.lines.first?.devices.map(\.lateShare) ?? []
        let order = shares.indices.sorted { (shares[$0], $0) < (shares[$1], $1) }
        let selected = order.isEmpty ? [] : [order[order.count - 1], order[order.count / 2], order[0]]
        var recording = settings
        recording.recordsActivity = true
        var seen: Set<Int> = []
        let timelines = selected.filter { seen.insert($0).inserted }.map { index in
            let device = cases[index]
            let bands = replayed.compactMap { choice in
                replay(device, choice, recording).map { PageTimeline.Band(name: choice.name, activity: $0.activity) }
            }
            return PageTimeline(device.trace, bands: bands)
        }
        return StudyPage(study, optima: items.map(\.optimum), settings: settings, timelines: timelines)
    }
}
