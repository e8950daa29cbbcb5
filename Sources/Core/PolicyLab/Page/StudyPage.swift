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
    static let maximumDots = 60
    /// The number of colors. Further policies reuse the colors with dashes.
    static let colors = 8

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
        var lines = [
            "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
            "<title>Transfer policies compared</title>", "<style>", PageStyle.text, "</style>", "</head>", "<body>",
            "<main>", "<h1>Transfer policies compared</h1>", "<p>\(summary)</p>", table,
        ]
        lines += section(
            "Late bytes and cost",
            "Each number is a policy in the table; its cross is the 95 % interval. Lower and further left is better. No "
                + "policy can lie below the line, which is the offline (clairvoyant) optimum.", plane)
        lines += section(
            "Results by device",
            study.devices.count > Self.maximumDots
                ? "The bar runs from the 10th to the 90th percentile of the devices; the thick mark is the median."
                : "A dot is a device; the bar runs from the 10th to the 90th percentile; the thick mark is the median.",
            spread)
        lines += section(
            "Delay", "The share of all jobs that finished within a time after their submission.", curves)
        if !timelines.isEmpty {
            lines += section(
                "Days", "The power source, the network, and the transfers over time.",
                timelines.map(\.html).joined(separator: "\n"))
        }
        lines += ["</main>", "</body>", "</html>"]
        return lines.joined(separator: "\n") + "\n"
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
            Decimal.text(offeredBytes / 1e9, digits: 1), "GB.", Markup.escape(study.lowerBoundSummary),
        ].joined(separator: " ")
    }

    /// The table of policies, numbered as in the drawings.
    private var table: String {
        let heads = ["", "policy", "late %", "95 %", "missed %", "cost/MB", "95 %", "regret/MB", "delay p50", "p95"]
        let rows = study.table().rows.enumerated().map { number, row in
            let cells = row.prefix(9).enumerated().map { column, text in
                "<td\(column == 0 ? " class=\"name\"" : "")>\(Markup.escape(text))</td>"
            }
            return "<tr><td><b class=\"key c\(number % Self.colors)\">\(number + 1)</b></td>\(cells.joined())</tr>"
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
        "c\(number % colors)" + (number / colors % 2 == 1 ? " dashed" : "")
    }
}
