// SPDX-License-Identifier: Apache-2.0

/// The optimum of several devices, as a table and as JSON.
///
/// ```swift
/// let report = OracleReport(devices: ["phone"], optima: [optimum], settings: settings)
/// for line in report.frontTable.lines { print(line) }
/// ```
public struct OracleReport: Sendable {
    private let devices: [String]
    private let optima: [Optimum]
    private let settings: ReplaySettings

    /// Creates a report. Devices and optima are in the same order.
    public init(devices: [String], optima: [Optimum], settings: ReplaySettings) {
        self.devices = devices
        self.optima = optima
        self.settings = settings
    }

    /// The corners of the joint Pareto front. Each class is filled on all devices before the next more expensive
    /// class is used on any.
    var corners: [Optimum.FrontPoint] {
        let offered = optima.reduce(0) { $0 + $1.offeredBytes }
        let count = optima.map(\.front.count).max() ?? 0
        return (0..<count).map { index in
            var corner = Optimum.FrontPoint(lateShare: 0, cost: 0, onTimeBytes: 0)
            for optimum in optima {
                corner.onTimeBytes += optimum.front[index].onTimeBytes
                corner.cost += optimum.front[index].cost
            }
            if offered > 0 { corner.lateShare = (offered - corner.onTimeBytes) / offered }
            return corner
        }
    }

    /// A table with one row per device.
    public var table: TextTable {
        var table = TextTable(columns: [
            .init("device", isNumeric: false), .init("submitted MB"), .init("late %"), .init("late % unmetered"),
            .init("cost/MB"), .init("cost with penalty"),
        ])
        for (device, optimum) in zip(devices, optima) {
            let cost = optimum.front.last?.cost ?? 0
            table.rows.append([
                device, Decimal.text(optimum.offeredBytes / 1e6, digits: 1), Study.percent(optimum.leastLateShare),
                Study.percent(optimum.leastLateShareUnmetered),
                Self.perMegabyte(cost, of: optimum.offeredBytes),
                Decimal.text(optimum.cost, digits: 3),
            ])
        }
        return table
    }

    /// A table of the joint Pareto front of all devices.
    public var frontTable: TextTable {
        var table = TextTable(columns: [.init("late %"), .init("cost/MB"), .init("cost")])
        let offered = optima.reduce(0) { $0 + $1.offeredBytes }
        for corner in corners {
            table.rows.append([
                Study.percent(corner.lateShare), Self.perMegabyte(corner.cost, of: offered),
                Decimal.text(corner.cost, digits: 3),
            ])
        }
        return table
    }

    private static func perMegabyte(_ cost: Double, of bytes: Double) -> String {
        bytes > 0 ? Decimal.text(cost / (bytes / 1e6), digits: 3) : "-"
    }

    /// The complete report as JSON.
    public var json: JSONValue {
        .object([
            .init("devices", .list(zip(devices, optima).map { json($0, $1) })),
            .init("front", Self.json(corners)),
        ])
    }

    private func json(_ device: String, _ optimum: Optimum) -> JSONValue {
        .object([
            .init("device", .text(device)), .init("offered_bytes", .number(optimum.offeredBytes)),
            .init("on_time_bytes", .byClass(optimum.onTimeBytes)),
            .init("least_late_share", .number(optimum.leastLateShare)),
            .init("least_late_share_unmetered", .number(optimum.leastLateShareUnmetered)),
            .init("cost_with_penalty", .number(optimum.cost)),
            .init("front", Self.json(optimum.front)),
        ])
    }

    private static func json(_ front: [Optimum.FrontPoint]) -> JSONValue {
        .list(
            front.map {
                .object([
                    .init("late_share", .number($0.lateShare)),
                    .init("on_time_bytes", .number($0.onTimeBytes)), .init("cost", .number($0.cost)),
                ])
            })
    }
}
