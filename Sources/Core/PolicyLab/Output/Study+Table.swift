// SPDX-License-Identifier: Apache-2.0

extension Study {
    /// A column by which a table can be sorted.
    public enum SortKey: String, Hashable, Sendable, CaseIterable {
        /// The share of late bytes.
        case late
        /// The cost of on-time bytes per megabyte.
        case cost
        /// The distance from the optimum.
        case regret
        /// The median delay.
        case delay
        /// The number of times that the radio was woken.
        case activations
        /// The policy's name.
        case name
    }

    /// Returns the policies as a table for a terminal. The rows are in the order of the study, or sorted in ascending
    /// order.
    public func table(sortedBy key: SortKey? = nil) -> TextTable {
        let titles = Self.columnTitles.map { TextTable.Column($0) }
        let rows = sorted(by: key).map { line in
            [line.name] + Self.cells(line.pooled, late: line.lateShareInterval, cost: line.costInterval)
        }
        return TextTable(columns: [.init("policy", isNumeric: false)] + titles, rows: rows)
    }

    /// The titles of the columns after the policy's name.
    static let columnTitles = [
        "late %", "95 %", "missed %", "cost/MB", "95 %", "regret/MB", "delay p50", "p95", "wakes", "starts",
    ]

    /// Returns the cells of the columns after the policy's name.
    static func cells(_ summary: Summary, late: ClosedRange<Double>?, cost: ClosedRange<Double>?) -> [String] {
        let isOptimum = summary.isOptimum
        return [
            percent(summary.lateShare), interval(late, scale: 100), isOptimum ? "-" : percent(summary.missedShare),
            summary.onTimeCostPerMegabyte.map { Decimal.text($0, digits: 3) } ?? "-", interval(cost, scale: 1),
            summary.regretPerMegabyte.map { Decimal.text($0, digits: 3) } ?? "-",
            duration(summary.delay(atShare: 0.5)), duration(summary.delay(atShare: 0.95)),
            isOptimum ? "-" : "\(summary.activations)", isOptimum ? "-" : "\(summary.starts)",
        ]
    }

    /// A sentence about the lowest possible share of late bytes.
    public var lowerBoundSummary: String {
        "Lower bound on late bytes: \(Self.percent(leastLateShare)) % on any network, "
            + "\(Self.percent(leastLateShareUnmetered)) % without metered networks."
    }

    /// A sentence about the error of the delays; `nil` if they are exact.
    public var quantileSummary: String? {
        guard !hasExactQuantiles else { return nil }
        return
            "Delays are within \(Self.shortPercent(ValueDistribution.relativeError)) % of the exact values (DDSketch)."
    }

    private static func shortPercent(_ share: Double) -> String { Decimal.text(share * 100, digits: 0) }

    private func sorted(by key: SortKey?) -> [Line] {
        guard let key else { return lines }
        func value(_ line: Line) -> Double {
            switch key {
            case .late: line.pooled.lateShare
            case .cost: line.pooled.onTimeCostPerMegabyte ?? .infinity
            case .regret: line.pooled.regretPerMegabyte ?? .infinity
            case .delay: line.pooled.delay(atShare: 0.5) ?? .infinity
            case .activations: Double(line.pooled.activations)
            case .name: 0
            }
        }
        let numbered = lines.enumerated().sorted { left, right in
            if key == .name, left.element.name != right.element.name { return left.element.name < right.element.name }
            let (first, second) = (value(left.element), value(right.element))
            return first != second ? first < second : left.offset < right.offset
        }
        return numbered.map(\.element)
    }

    static func percent(_ share: Double) -> String { Decimal.text(share * 100, digits: 2) }

    private static func interval(_ range: ClosedRange<Double>?, scale: Double) -> String {
        guard let range else { return "-" }
        return [range.lowerBound, range.upperBound].map { Decimal.text($0 * scale, digits: 2) }.joined(separator: "…")
    }

    /// Returns seconds in a unit that is easy to read.
    static func duration(_ seconds: Double?) -> String {
        guard let seconds else { return "-" }
        if seconds < 120 { return "\(Decimal.text(seconds, digits: 0)) s" }
        if seconds < 7200 { return "\(Decimal.text(seconds / 60, digits: 0)) min" }
        if seconds < 172_800 { return "\(Decimal.text(seconds / 3600, digits: 1)) h" }
        return "\(Decimal.text(seconds / 86_400, digits: 1)) d"
    }

    /// Returns seconds in a unit that is easy to read, without decimal places that are 0: `24 h`.
    public static func shortDuration(_ seconds: Double) -> String {
        let text = duration(seconds)
        guard let point = text.firstRange(of: ".0 ") else { return text }
        return text[..<point.lowerBound] + " " + text[point.upperBound...]
    }
}
