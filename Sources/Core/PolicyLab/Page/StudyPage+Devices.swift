// SPDX-License-Identifier: Apache-2.0

extension StudyPage {
    /// The sentence above the list of devices.
    var devicesText: String {
        let order = study.lines.first.map { " The list begins with the device with the most late bytes of \($0.name)." }
        let others = study.devices.count - timelines.count
        let rest = others > 0 ? " \(others) other \(others == 1 ? "device is" : "devices are") not drawn." : ""
        let bands = timelines.lazy.map(\.bands.count).max() ?? 0
        let replayed = study.lines.count { !$0.pooled.isOptimum }
        let first = bands < replayed ? " The first \(bands) of \(replayed) policies are drawn." : ""
        return "Select a device to see its power source, its network, and the transfers over time, in UTC."
            + Markup.escape((order ?? "") + rest + first)
    }

    /// The devices with their results and days, each closed until the reader opens it.
    var devices: String {
        timelines.enumerated().map { position, timeline in
            let index = study.devices.firstIndex(of: timeline.name)
            let details = index.map { " <small>\(Markup.escape(facts(ofDevice: $0)))</small>" } ?? ""
            return """
                <details class="device"\(position == 0 ? " open" : "")>
                <summary><strong>\(Markup.escape(timeline.name))</strong>\(details)</summary>
                \(timeline.html(policies: study.lines.map(\.name)))
                \(index.map(table(ofDevice:)) ?? "")
                </details>
                """
        }.joined(separator: "\n")
    }

    private func facts(ofDevice index: Int) -> String {
        var facts: [String] = []
        if let line = study.lines.first {
            facts.append("\(line.name): \(Study.percent(line.devices[index].lateShare)) % late")
        }
        if let days = study.lines.lazy.map({ $0.devices[index] }).first(where: { $0.span > 0 }) {
            facts.append(Study.shortDuration(days.span))
            let known = Decimal.text((days.knownShare ?? 0) * 100, digits: 0)
            facts.append("power and network known for \(known) % of the time")
        }
        return facts.joined(separator: " · ")
    }
}
