// SPDX-License-Identifier: Apache-2.0
internal import TransferScheduling

/// The data of the page, which its script draws.
extension StudyPage {
    /// The maximum number of devices that are drawn as single dots.
    static let maximumDots = 60
    /// The maximum number of dots of all policies together.
    static let maximumTotalDots = 500
    /// The maximum number of lines of the downloaded table. A larger study offers the results of all devices together.
    static let maximumDownloadLines = 1000
    /// The maximum number of steps of a curve, however many jobs there are.
    private static let maximumSteps = 200

    /// The results, and every text that depends on them.
    var data: JSONValue {
        let titles = Study.columnTitles
        let isComplete = study.lines.count * (study.devices.count + 1) <= Self.maximumDownloadLines
        return [
            "conclusion": study.conclusion.map { .text($0) } ?? .null, "summary": .text(summary),
            "warning": study.coverage?.warning.map { .text($0) } ?? .null,
            "columns": .list(titles.indices.map { [.text(titles[$0]), .text(narrowTitle(ofColumn: $0))] }),
            "policies": .list(study.lines.map(policy)),
            "costs": .list(CostClass.allCases.map { .number(settings.cost(of: $0)) }),
            "penalty": .number(settings.penalty),
            "grids": .list(PolicyGrid.all(in: study.lines.map(\.name)).map(\.json)),
            "front": .list(front.map { [.rounded($0.lateShare * 100), .rounded(perMegabyte($0.cost))] }),
            "devices": .list(hasDots ? study.devices.map { .text($0) } : []),
            "deadlines": study.deadlines.map { [.number($0.lowerBound), .number($0.upperBound)] } ?? .null,
            "deadlineText": .text(deadlineText), "devicesText": .text(devicesText),
            "timelines": .list(timelines.map(timeline)), "origin": .pairs(provenance),
            "inputs": .pairs(origin?.inputs.map { ($0.name, $0.checksum.map(Self.hex) ?? "") } ?? []),
            "csvText": .text("results.csv, " + (isComplete ? "by device" : "all devices together")),
            "csv": .text(isComplete ? study.csv : study.pooledCSV), "json": study.pooledJSON,
        ]
    }

    /// Whether each device is drawn as a dot.
    private var hasDots: Bool {
        study.devices.count <= Self.maximumDots && study.devices.count * study.lines.count <= Self.maximumTotalDots
    }

    private var summary: String {
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
        let jobs = study.lines.first?.pooled.jobs ?? 0
        let span = study.lines.lazy.map(\.pooled.span).first { $0 > 0 } ?? 0
        return """
            \(count(study.lines.count, "policy", "policies")) on \(count(study.devices.count, "device", "devices")), \
            \(Study.shortDuration(span)) in total, \(count(jobs, "job", "jobs")) of \(Self.bytes(offeredBytes)). \
            \(study.lowerBoundSummary)
            """
    }

    private func perMegabyte(_ cost: Double) -> Double { offeredBytes > 0 ? cost / (offeredBytes / 1e6) : 0 }

    // MARK: Policies

    private func policy(_ line: Study.Line) -> JSONValue {
        let (delays, jobs) = (line.pooled.delays, Double(max(1, line.pooled.jobs)))
        let count = min(Self.maximumSteps, delays.count)
        let steps = (0..<count).map { step -> JSONValue in
            let position = (step + 1) * delays.count / count
            return [.rounded(delays.value(atRank: position - 1)), .rounded(Double(position) / jobs * 100)]
        }
        return [
            "name": .text(line.name),
            "cells": .texts(Study.cells(line.pooled, late: line.lateShareInterval, cost: line.costInterval)),
            "late": metric(
                line.pooled.lateShare * 100, line.lateShareInterval.map { $0.lowerBound * 100...$0.upperBound * 100 },
                line.devices.map { $0.lateShare * 100 }),
            "cost": metric(
                line.pooled.onTimeCostPerMegabyte ?? 0, line.costInterval,
                line.devices.map { $0.onTimeCostPerMegabyte ?? 0 }),
            "steps": .list(steps),
        ]
    }

    /// Returns the value of all devices together, its interval, the 10th, 50th, and 90th percentile of the devices, and
    /// the devices if each is drawn.
    private func metric(_ value: Double, _ range: ClosedRange<Double>?, _ devices: [Double]) -> JSONValue {
        let sorted = devices.sorted()
        return [
            "value": .rounded(value),
            "range": range.map { [.rounded($0.lowerBound), .rounded($0.upperBound)] } ?? .null,
            "spread": .list([0.1, 0.5, 0.9].compactMap { Summary.quantile(sorted, $0).map(JSONValue.rounded) }),
            "devices": .list(hasDots ? devices.map(JSONValue.rounded) : []),
        ]
    }

    /// Returns the title beside a cell on a narrow screen. There, no column stands before an interval.
    private func narrowTitle(ofColumn column: Int) -> String {
        let titles = Study.columnTitles
        guard titles[column] == "95 %" else { return titles[column] == "p95" ? "delay p95" : titles[column] }
        return titles[..<column].last { $0 != "missed %" }.map { "95 % of \($0.prefix { $0 != " " && $0 != "/" })" }
            ?? ""
    }

    private var deadlineText: String {
        guard let deadlines = study.deadlines else { return "" }
        let (least, most) = (Study.shortDuration(deadlines.lowerBound), Study.shortDuration(deadlines.upperBound))
        return least == most ? "deadline \(most)" : "deadlines \(least) to \(most)"
    }

    // MARK: Settings

    /// The program and the settings.
    private var provenance: [(String, String)] {
        let scheduler = settings.scheduler
        let (wifi, cell) = (Self.bytes(Double(settings.wifiRate)), Self.bytes(Double(settings.cellRate)))
        let slots = scheduler.globalSlots
        let order =
            scheduler == ReplaySettings.daemonScheduler
            ? "as in the daemon's default configuration"
            : (slots == 1 ? "one transfer" : "\(slots) transfers") + " at a time, the earliest deadline first"
                + (scheduler.startsLateTransfersLast ? ", those past their deadlines last" : "")
        return (origin.map { [("Program", $0.program), ("Command", $0.command)] } ?? []) + [
            ("Seed", "\(settings.seed)"),
            ("Rates", "Wi-Fi and wired \(wifi)/s, cellular \(cell)/s, where a trace states none"),
            ("Scheduler", order),
        ]
    }

    /// Returns a number of bytes in a unit that is easy to read, such as `2.5 MB`.
    static func bytes(_ count: Double) -> String {
        let units: [(size: Double, name: String)] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
        guard let unit = units.first(where: { count >= $0.size }) else {
            let text = Decimal.text(count, digits: 0)
            return text == "1" ? "1 byte" : "\(text) bytes"
        }
        let value = count / unit.size
        return "\(Decimal.text(value, digits: value < 100 ? 1 : 0)) \(unit.name)"
    }

    /// Returns 16 hexadecimal digits.
    static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: Devices

    private var devicesText: String {
        let order = study.lines.first.map { " The list begins with the device with the most late bytes of \($0.name)." }
        let others = study.devices.count - timelines.count
        let rest = others > 0 ? " \(others) other \(others == 1 ? "device is" : "devices are") not drawn." : ""
        let bands = timelines.lazy.map(\.bands.count).max() ?? 0
        let replayed = study.lines.count { !$0.pooled.isOptimum }
        let first = bands < replayed ? " The first \(bands) of \(replayed) policies are drawn." : ""
        return "Select a device to see its power source, its network, and the transfers over time, in UTC."
            + (order ?? "") + rest + first
    }

    private func timeline(_ timeline: PageTimeline) -> JSONValue {
        let summaries = study.devices.firstIndex(of: timeline.name).map { index in study.lines.map { $0.devices[index] }
        }
        var facts: [String] = []
        if let summary = summaries?.first {
            facts.append("\(study.lines[0].name): \(Study.percent(summary.lateShare)) % late")
        }
        if let days = summaries?.first(where: { $0.span > 0 }) {
            facts.append(Study.shortDuration(days.span))
            let known = Decimal.text((days.knownShare ?? 0) * 100, digits: 0)
            facts.append("power and network known for \(known) % of the time")
        }
        return .object(
            [
                .init("name", .text(timeline.name)), .init("facts", .text(facts.joined(separator: " · "))),
                .init("cells", .list(summaries?.map { .texts(Study.cells($0, late: nil, cost: nil)) } ?? [])),
            ] + timeline.json)
    }
}
