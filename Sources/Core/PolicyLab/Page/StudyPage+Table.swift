// SPDX-License-Identifier: Apache-2.0

extension StudyPage {
    /// The table of policies, numbered as in the drawings.
    var table: String {
        rows(study.lines.map { ($0.name, Study.cells($0.pooled, late: $0.lateShareInterval, cost: $0.costInterval)) })
    }

    /// The table of policies on a single device, which has no intervals.
    func table(ofDevice index: Int) -> String {
        rows(study.lines.map { ($0.name, Study.cells($0.devices[index], late: nil, cost: nil)) }, skipping: ["95 %"])
    }

    private func rows(_ lines: [(name: String, cells: [String])], skipping skipped: Set<String> = []) -> String {
        let titles = Study.columnTitles
        let columns = titles.indices.filter { !skipped.contains(titles[$0]) }
        let rows = lines.enumerated().map { number, line in
            // On a narrow screen, each cell shows the title of its column.
            let cells = columns.map {
                "<td data-title=\"\(narrowTitle(ofColumn: $0))\">\(Markup.escape(line.cells[$0]))</td>"
            }
            let name = "<td class=\"name\">\(Self.key(number)) <span>\(Markup.escape(line.name))</span></td>"
            return "<tr>\(name)\(cells.joined())</tr>"
        }
        let head = (["policy"] + columns.map { titles[$0] }).map { "<th>\($0)</th>" }.joined()
        return
            (["<table class=\"results\">", "<thead><tr>\(head)</tr></thead>", "<tbody>"] + rows + [
                "</tbody>", "</table>",
            ]).joined(separator: "\n")
    }

    /// Returns the title beside a cell on a narrow screen. There, no column stands before an interval.
    private func narrowTitle(ofColumn column: Int) -> String {
        let titles = Study.columnTitles
        guard titles[column] == "95 %" else { return titles[column] == "p95" ? "delay p95" : titles[column] }
        return titles[..<column].last { $0 != "missed %" }.map { "95 % of \($0.prefix { $0 != " " && $0 != "/" })" }
            ?? ""
    }

    /// The meanings of the table's columns, with the costs of this study.
    var terms: String {
        func cost(_ costClass: CostClass) -> String { Markup.number(settings.cost(of: costClass)) }
        let penalty = Markup.number(settings.penalty)
        let terms: [(term: String, meaning: String)] = [
            ("late", "the share of the submitted bytes that arrived after their deadlines or never"),
            (
                "missed",
                "the share of the jobs that did not finish by their deadlines; without a deadline, that never finished"
            ),
            (
                "cost",
                "the cost of the on-time bytes per submitted megabyte (10⁶ bytes). A megabyte costs "
                    + "\(cost(.acUnmetered)) on AC power and an unmetered network, \(cost(.batteryUnmetered)) on battery "
                    + "and unmetered, \(cost(.acMetered)) on AC power and metered, \(cost(.batteryMetered)) on battery "
                    + "and metered"
            ),
            (
                "regret",
                "the difference from the optimal cost per submitted megabyte. On both sides, each late or unfinished "
                    + "megabyte costs \(penalty)"
            ),
            (
                "delay p50, p95",
                "the time from submission to finish that 50 % and 95 % of the finished jobs did not exceed"
            ),
            ("wakes", "the number of times that a transfer woke the radio, after a pause of more than 15 s"),
            ("starts", "the number of attempts in which bytes arrived"),
            (
                "95 %",
                "the 95 % confidence interval of the column before it, from 1000 draws of the devices with replacement; "
                    + "a single device has none"
            ),
            ("oracle", "the offline (clairvoyant) optimum, which is computed and not replayed"),
        ]
        let items = terms.map { "<div><dt>\($0.term)</dt><dd>\($0.meaning)</dd></div>" }
        return "<dl class=\"terms\">\n\(items.joined(separator: "\n"))\n</dl>"
    }
}
