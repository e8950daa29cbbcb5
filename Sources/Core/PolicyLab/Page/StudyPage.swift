// SPDX-License-Identifier: Apache-2.0

/// A study as a single HTML page with a table and drawings.
///
/// The page needs no other files, scripts or fonts, and follows the reader's light or dark setting. Its size grows
/// with the number of policies, not with the number of devices: more than 60 devices are drawn as
/// percentiles.
///
/// ```swift
/// let page = StudyPage(study, optima: optima, settings: settings)
/// print(page.html)
/// ```
public struct StudyPage: Sendable {
    /// The maximum number of devices that are drawn as single dots.
    static let mostDots = 60
    /// The number of colors. Further policies reuse the colors with dashes.
    static let colours = 8

    let study: Study
    private let corners: [Optimum.FrontPoint]
    private let offeredBytes: Double
    private let timelines: [PageTimeline]

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - study: The study to show.
    ///   - optima: The optimum of each device, for the front.
    ///   - settings: The settings of the replays.
    ///   - timelines: The devices whose days are drawn.
    public init(_ study: Study, optima: [Optimum], settings: ReplaySettings, timelines: [PageTimeline] = []) {
        self.study = study
        corners = OracleReport(devices: study.devices, optima: optima, settings: settings).corners
        offeredBytes = optima.reduce(0) { $0 + $1.offeredBytes }
        self.timelines = timelines
    }

    /// The HTML text of the page.
    public var html: String {
        var parts = [
            "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
            "<title>Transfer policies compared</title>", "<style>", PageStyle.text, "</style>", "</head>", "<body>",
            "<main>", "<h1>Transfer policies compared</h1>", "<p>\(summary)</p>", table,
        ]
        parts += section(
            "Late against cost",
            "Each number is a policy of the table, its cross the 95 % interval. Down and to the left is better. Nothing can "
                + "lie below the line: it is the exact optimum of who knows the future.", plane)
        parts += section(
            "Device by device",
            study.devices.count > Self.mostDots
                ? "How the devices are spread: the bar from the 10th to the 90th percentile, the thick mark in the middle."
                : "A dot is a device; the bar runs from the 10th to the 90th percentile, the thick mark is in the middle.",
            spread)
        parts += section(
            "Delay", "The share of all jobs that were done so long after they were handed over.", curves)
        if !timelines.isEmpty {
            parts += section(
                "Days", "What the machine ran on, what network it had, and when something was transferred.",
                timelines.map(\.html).joined(separator: "\n"))
        }
        parts += ["</main>", "</body>", "</html>"]
        return parts.joined(separator: "\n") + "\n"
    }

    private func section(_ title: String, _ text: String, _ body: String) -> [String] {
        ["<section>", "<h2>\(title)</h2>", "<p>\(text)</p>", body, "</section>"]
    }

    private var summary: String {
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
        let jobs = study.lines.first?.pooled.jobs ?? 0
        let days = (study.lines.first?.pooled.span ?? 0) / 86_400
        return [
            count(study.lines.count, "policy", "policies"), "on", count(study.devices.count, "device", "devices") + ",",
            Decimal.text(days, digits: 0), "days,", count(jobs, "job", "jobs"), "of",
            Decimal.text(offeredBytes / 1e9, digits: 1), "GB.", Markup.escape(study.floor),
        ].joined(separator: " ")
    }

    /// The table of policies, numbered as in the drawings.
    private var table: String {
        let heads = ["", "policy", "late %", "95 %", "missed %", "cost/MB", "95 %", "regret/MB", "delay p50", "p95"]
        let rows = study.table().rows.enumerated().map { number, row in
            let cells = row.prefix(9).enumerated().map { column, text in
                "<td\(column == 0 ? " class=\"name\"" : "")>\(Markup.escape(text))</td>"
            }
            return "<tr><td><b class=\"key c\(number % Self.colours)\">\(number + 1)</b></td>\(cells.joined())</tr>"
        }
        let head = heads.map { "<th>\($0)</th>" }.joined()
        return
            (["<div class=\"wide\">", "<table>", "<thead><tr>\(head)</tr></thead>", "<tbody>"] + rows + [
                "</tbody>", "</table>", "</div>",
            ]).joined(separator: "\n")
    }

    /// The points of the front: the share of late bytes, and the cost per submitted megabyte.
    var front: [(late: Double, cost: Double)] {
        guard offeredBytes > 0 else { return [] }
        return corners.map { ($0.lateShare, $0.cost / (offeredBytes / 1e6)) }
    }

    /// Returns the style class of a policy's marks.
    static func style(_ number: Int) -> String {
        "c\(number % colours)" + (number / colours % 2 == 1 ? " dashed" : "")
    }
}
