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
        var table = TextTable(columns: [
            .init("policy", isNumeric: false), .init("late %"), .init("95 %"), .init("missed %"), .init("cost/MB"),
            .init("95 %"), .init("regret/MB"), .init("delay p50"), .init("p95"), .init("wakes"), .init("starts"),
        ])
        for line in sorted(by: key) {
            let (pooled, isOptimum) = (line.pooled, line.pooled.isOptimum)
            table.rows.append([
                line.name, Self.percent(pooled.lateShare), Self.interval(line.lateShareInterval, scale: 100),
                isOptimum ? "-" : Self.percent(pooled.missedShare),
                pooled.onTimeCostPerMegabyte.map { Decimal.text($0, digits: 3) } ?? "-",
                Self.interval(line.costInterval, scale: 1),
                pooled.regretPerMegabyte.map { Decimal.text($0, digits: 3) } ?? "-",
                Self.duration(pooled.delay(atShare: 0.5)), Self.duration(pooled.delay(atShare: 0.95)),
                isOptimum ? "-" : "\(pooled.activations)", isOptimum ? "-" : "\(pooled.starts)",
            ])
        }
        return table
    }

    /// A sentence about the lowest possible share of late bytes.
    public var lowerBoundSummary: String {
        "Lower bound on late bytes: \(Self.percent(leastLateShare)) % on any network, "
            + "\(Self.percent(leastLateShareUnmetered)) % without metered networks."
    }

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
}
