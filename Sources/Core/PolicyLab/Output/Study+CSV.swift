// SPDX-License-Identifier: Apache-2.0

extension Study {
    /// The results as comma-separated values, with one line per policy and device. A line with the device `*` covers
    /// all devices.
    public var csv: String {
        var lines: [String] = []
        for line in self.lines {
            for (device, summary) in zip(devices + ["*"], line.devices + [line.pooled]) {
                let pairs = SummaryMetrics(summary).csv
                if lines.isEmpty { lines.append((["policy", "device"] + pairs.map(\.key)).joined(separator: ",")) }
                let names = [CSVText.field(line.name), CSVText.field(device)]
                lines.append((names + pairs.map(\.text)).joined(separator: ","))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
