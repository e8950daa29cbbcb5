// SPDX-License-Identifier: Apache-2.0

extension Study {
    /// The results as a JSON document.
    public var json: JSONValue { json(withDevices: true) }

    /// The results of all devices together as a JSON document.
    var pooledJSON: JSONValue { json(withDevices: false) }

    private func json(withDevices: Bool) -> JSONValue {
        .object([
            .init("device_count", .whole(deviceCount)),
            .init("quantiles", .text(hasExactQuantiles ? "exact" : "DDSketch, relative error 0.01")),
            .init("least_late_share", .number(leastLateShare)),
            .init("least_late_share_unmetered", .number(leastLateShareUnmetered)),
            .init("policies", .list(lines.map { json(of: $0, withDevices: withDevices) })),
        ])
    }

    private func json(of line: Line, withDevices: Bool) -> JSONValue {
        let devices = zip(withDevices ? devices : [], line.devices).map {
            JSONValue.object([.init("device", .text($0))] + SummaryMetrics($1).json)
        }
        return .object([
            .init("name", .text(line.name)), .init("devices", .list(devices)),
            .init("pooled", .object(SummaryMetrics(line.pooled).json + intervals(of: line))),
        ])
    }

    private func intervals(of line: Line) -> [JSONValue.Pair] {
        func interval(_ key: String, _ range: ClosedRange<Double>?) -> JSONValue.Pair {
            .init(key, range.map { .list([.number($0.lowerBound), .number($0.upperBound)]) } ?? .null)
        }
        return [
            interval("late_share_interval", line.lateShareInterval),
            interval("on_time_cost_per_mb_interval", line.costInterval),
            interval("late_share_difference_interval", line.lateShareDifference),
            interval("on_time_cost_per_mb_difference_interval", line.costDifference),
        ]
    }
}
