// SPDX-License-Identifier: Apache-2.0

extension PolicyGrid {
    /// The heat maps of a sweep: late bytes, cost, and regret.
    func heatMaps(of study: Study) -> String {
        let maps = [
            heatMap("late %", study, digits: 2) { $0.lateShare * 100 },
            heatMap("cost/MB", study, digits: 3) { $0.onTimeCostPerMegabyte },
            heatMap("regret/MB", study, digits: 3) { $0.regretPerMegabyte },
        ]
        return "<div class=\"maps\">\n\(maps.joined(separator: "\n"))\n</div>"
    }

    private func heatMap(
        _ title: String, _ study: Study, digits: Int, _ metric: (Summary) -> Double?
    ) -> String {
        let values = cells.map { $0.map { $0.flatMap { metric(study.lines[$0].pooled) } } }
        let known = values.joined().compactMap { $0 }
        let (least, most) = (known.min() ?? 0, known.max() ?? 0)
        func cell(_ value: Double?, _ name: String?) -> String {
            guard let value, let name else { return "<td>-</td>" }
            let share = most > least ? (value - least) / (most - least) : 0
            let best = value == least && most > least ? " class=\"best\"" : ""
            let shade = Decimal.text(share * 0.55, digits: 2)
            return "<td\(best) style=\"--s:\(shade)\" title=\"\(Markup.escape(name))\">"
                + "\(Decimal.text(value, digits: digits))</td>"
        }
        let corner = [rowKey.map { "\($0) ↓" }, "\(columnKey) →"].compactMap { $0 }.map(Markup.escape)
        let head = columns.map { "<th>\(Markup.escape($0))</th>" }.joined()
        let lines = zip(rows.indices, rows).map { row, value in
            let texts = columns.indices.map { column in
                cell(values[row][column], cells[row][column].map { study.lines[$0].name })
            }
            return "<tr><th>\(Markup.escape(value))</th>\(texts.joined())</tr>"
        }
        return """
            <div class="scroll"><table class="heat"><caption>\(title)</caption>
            <tr><th>\(corner.joined(separator: "<br>"))</th>\(head)</tr>
            \(lines.joined(separator: "\n"))
            </table></div>
            """
    }
}
