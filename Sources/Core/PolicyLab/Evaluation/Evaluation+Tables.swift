// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Evaluation {
    /// The results as tables with titles.
    public var tables: [(title: String, table: TextTable)] {
        [
            ("Late bytes, cost, and regret by deadline, all devices", deadlineTable),
            ("Difference in regret from \(policies[reference]) by deadline, with 95 % intervals", differenceTable),
            ("Mean regret over the deadlines, and its difference from \(policies[reference])", priceTable),
            ("The best policy for each price, chosen without the device that scores it", choiceTable),
        ]
    }

    private var deadlineTable: TextTable {
        var table = TextTable(columns: [
            .init("deadline", isNumeric: false), .init("policy", isNumeric: false), .init("late %"), .init("cost/MB"),
        ])
        table.columns += prices.map { .init("regret@\(Conclusion.text($0))") }
        table.columns.append(.init("better than \(policies[reference])", isNumeric: false))
        for deadline in deadlines.indices {
            for policy in policies.indices {
                let sums = sums(of: policy, deadline: deadline)
                let offered = max(sums.offered, 1e-12)
                let regrets = prices.indices.map {
                    regret(everywhere(policy), deadline: deadline, price: $0, among: all)
                }
                table.rows.append(
                    [
                        Self.text(deadlines[deadline]), policies[policy],
                        Self.text(100 * sums.late / offered, digits: 2),
                        Self.text(sums.cost / offered, digits: 3),
                    ] + regrets.map { Self.text($0, digits: 2) }
                        + [policy == reference ? "-" : breakEven(of: policy, deadline: deadline).text])
            }
        }
        return table
    }

    private var differenceTable: TextTable {
        var table = TextTable(columns: [.init("deadline", isNumeric: false), .init("policy", isNumeric: false)])
        for price in prices { table.columns += [.init("@\(Conclusion.text(price))"), .init("95 %")] }
        for deadline in deadlines.indices {
            for policy in policies.indices where policy != reference {
                var row = [Self.text(deadlines[deadline]), policies[policy]]
                for price in prices.indices {
                    row += Self.cells(comparison(everywhere(policy), deadline: deadline, price: price))
                }
                table.rows.append(row)
            }
        }
        return table
    }

    private var priceTable: TextTable {
        var table = TextTable(columns: [
            .init("price"), .init("policy", isNumeric: false), .init("regret/MB"), .init("difference"), .init("95 %"),
        ])
        for price in prices.indices {
            for policy in policies.indices {
                let comparison = comparison(everywhere(policy), price: price)
                table.rows.append(
                    [Conclusion.text(prices[price]), policies[policy], Self.text(comparison.regret, digits: 2)]
                        + (policy == reference ? ["-", "-"] : Self.cells(comparison)))
            }
        }
        return table
    }

    private var choiceTable: TextTable {
        var table = TextTable(columns: [
            .init("price"), .init("best on all", isNumeric: false), .init("chosen by the others", isNumeric: false),
            .init("regret/MB"), .init("difference"), .init("95 %"),
        ])
        for price in prices.indices {
            let choice = choice(price: price)
            let comparison = comparison(choice.leftOut, price: price)
            table.rows.append(
                [
                    Conclusion.text(prices[price]), policies[choice.best], counts(choice.leftOut),
                    Self.text(comparison.regret, digits: 2),
                ] + Self.cells(comparison))
        }
        return table
    }

    /// Returns the names of the chosen policies with the number of devices, the most frequent first.
    private func counts(_ choice: [Int]) -> String {
        let counts = policies.indices.map { policy in (policy, choice.count { $0 == policy }) }.filter { $0.1 > 0 }
        return counts.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map { "\(policies[$0.0]) ×\($0.1)" }.joined(
            separator: ", ")
    }

    private static func text(_ value: Double, digits: Int) -> String { Decimal.text(value, digits: digits) }

    /// Returns the difference and its interval.
    private static func cells(_ comparison: Comparison) -> [String] {
        let range = comparison.interval
        return [
            text(comparison.difference, digits: 2),
            range.map { "\(text($0.lowerBound, digits: 2))..\(text($0.upperBound, digits: 2))" } ?? "-",
        ]
    }

    /// A whole number of days or hours, or seconds.
    private static func text(_ deadline: Duration) -> String {
        let seconds = deadline.labSeconds
        if seconds >= 172_800, (seconds / 86_400).rounded() == seconds / 86_400 {
            return "\(Int64(seconds / 86_400)) d"
        }
        if (seconds / 3600).rounded() == seconds / 3600 { return "\(Int64(seconds / 3600)) h" }
        return "\(Int64(seconds)) s"
    }
}

extension Evaluation.BreakEven {
    /// The prices in words.
    var text: String {
        switch self {
        case .always: "at every price"
        case .never: "at no price"
        case .above(let price): "above \(Decimal.text(price, digits: 1))"
        case .below(let price): "below \(Decimal.text(price, digits: 1))"
        case .equal: "equal"
        }
    }
}
