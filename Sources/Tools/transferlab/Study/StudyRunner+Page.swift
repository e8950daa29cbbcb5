// SPDX-License-Identifier: Apache-2.0
import PolicyLab

extension StudyRunner {
    /// The maximum number of devices whose days a page shows, except those that the user names.
    static let maximumPageDevices = 60
    /// The maximum number of policies in the days of a device. More would not fit a screen.
    static let maximumBands = 8

    /// The input of a study's page.
    struct PageInput {
        var items: [Item]
        var cases: [DeviceCase]
        var policies: [LabPolicy]
        var settings: ReplaySettings
        /// The number of parallel replays; 0 for one per core.
        var jobs: Int
        /// Describes the inputs of the study.
        var origin: () throws -> PageOrigin

        init(
            _ items: [Item], _ cases: [DeviceCase], _ policies: [LabPolicy], _ study: StudyOptions,
            _ origin: @escaping () throws -> PageOrigin
        ) throws {
            self.init(items, cases, policies, try study.readSettings(), jobs: study.jobs, origin)
        }

        init(
            _ items: [Item], _ cases: [DeviceCase], _ policies: [LabPolicy], _ settings: ReplaySettings, jobs: Int,
            _ origin: @escaping () throws -> PageOrigin
        ) {
            (self.items, self.cases, self.policies, self.settings) = (items, cases, policies, settings)
            (self.jobs, self.origin) = (jobs, origin)
        }
    }

    /// Returns the page of a study.
    ///
    /// The page shows the days of all devices, beginning with the device with the most late bytes under the first policy.
    /// If there are too many devices, it shows those with the most and the fewest late bytes, and others at equal
    /// distances between them.
    ///
    /// - Parameter names: The devices to show in any case.
    static func page(_ study: Study, _ input: PageInput, showing names: [String]) async throws -> StudyPage {
        var named: Set<Int> = []
        for name in names {
            guard let index = input.cases.firstIndex(where: { $0.name == name || $0.trace.device == name }) else {
                throw UsageError("--html-device: no such device: '\(name)'")
            }
            named.insert(index)
        }
        let selected = shownDevices(lateShares: study.lines.first?.devices.map(\.lateShare) ?? [], named: named)
        let replayed = Array(input.policies.filter { !$0.isOptimum }.prefix(maximumBands))
        var recording = input.settings
        recording.recordsActivity = true
        let cases = selected.map { input.cases[$0] }
        let items = await run(cases, replayed, recording, width: input.jobs)
        let timelines = zip(cases, items).map { device, item in
            let bands = zip(replayed, item.outcomes).compactMap { policy, outcome in
                outcome.map { PageTimeline.Band(name: policy.name, activity: $0.activity) }
            }
            return PageTimeline(device.trace, name: device.name, bands: bands)
        }
        return StudyPage(
            study, optima: input.items.map(\.optimum), settings: input.settings, origin: try input.origin(),
            timelines: timelines)
    }

    /// Returns the indices of the devices to show, in descending order of their shares of late bytes.
    static func shownDevices(lateShares: [Double], named: Set<Int>) -> [Int] {
        let order = lateShares.indices.sorted { (-lateShares[$0], $0) < (-lateShares[$1], $1) }
        guard order.count > maximumPageDevices else { return order }
        let steps = (0..<maximumPageDevices).map { $0 * (order.count - 1) / (maximumPageDevices - 1) }
        let shown = Set(steps.map { order[$0] }).union(named)
        return order.filter(shown.contains)
    }
}
