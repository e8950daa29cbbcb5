// SPDX-License-Identifier: Apache-2.0

extension Study {
    /// The results as comma-separated values, with one line per policy and device. A line with the device `*` covers
    /// all devices.
    public var csv: String {
        csv { line in Array(zip(devices + ["*"], line.devices + [line.pooled])) }
    }

    /// The results of all devices together as comma-separated values, with one line per policy.
    var pooledCSV: String { csv { [("*", $0.pooled)] } }

    private func csv(_ summaries: (Line) -> [(device: String, summary: Summary)]) -> String {
        var lines: [String] = []
        for line in self.lines {
            for (device, summary) in summaries(line) {
                let pairs = SummaryMetrics(summary).csv
                if lines.isEmpty { lines.append((["policy", "device"] + pairs.map(\.key)).joined(separator: ",")) }
                let names = [CSVText.field(line.name), CSVText.field(device)]
                lines.append((names + pairs.map(\.text)).joined(separator: ","))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
