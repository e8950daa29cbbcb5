// SPDX-License-Identifier: Apache-2.0

/// A study as a single HTML page with tables and drawings.
///
/// The page needs no other files, scripts or fonts, follows the reader's light or dark setting, and fits a phone. Its
/// size is limited for any number of devices: more than 60 devices are drawn as percentiles, and the days of devices
/// are drawn only where the caller adds timelines.
///
/// ```swift
/// let page = StudyPage(study, optima: optima, settings: settings)
/// print(page.html)
/// ```
public struct StudyPage: Sendable {
    /// The maximum number of devices that are drawn as single dots.
    static let maximumDots = 60
    /// The maximum number of dots of all policies together.
    static let maximumTotalDots = 500
    /// The number of colors. Further policies reuse the colors with dashes.
    static let colors = 8

    let study: Study
    let settings: ReplaySettings
    let origin: PageOrigin?
    let timelines: [PageTimeline]
    let offeredBytes: Double
    private let corners: [Optimum.FrontPoint]

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - study: The study to show.
    ///   - optima: The optimum of each device, for the front.
    ///   - settings: The settings of the replays.
    ///   - origin: The program and the input files; `nil` if they are unknown.
    ///   - timelines: The devices whose days are drawn. The first one is shown at once, the others on demand.
    public init(
        _ study: Study, optima: [Optimum], settings: ReplaySettings, origin: PageOrigin? = nil,
        timelines: [PageTimeline] = []
    ) {
        self.study = study
        self.settings = settings
        self.origin = origin
        self.timelines = timelines
        corners = OracleReport(devices: study.devices, optima: optima, settings: settings).corners
        offeredBytes = optima.reduce(0) { $0 + $1.offeredBytes }
    }

    /// The HTML text of the page.
    public var html: String {
        var lines = [
            "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
            "<title>Transfer policies compared</title>", "<style>", PageStyle.text, "</style>", "</head>", "<body>",
            "<main>", "<h1>Transfer policies compared</h1>", "<p>\(summary)</p>",
        ]
        if let warning = study.coverage?.warning { lines.append("<p class=\"warning\">\(Markup.escape(warning))</p>") }
        lines += [table, terms]
        for grid in PolicyGrid.all(in: study.lines.map(\.name)) {
            lines += section(
                "Parameters of \(Markup.escape(grid.title))",
                "Each cell is a policy. A stronger color means a higher value; the frame marks the lowest value.",
                grid.heatMaps(of: study))
        }
        lines += section(
            "Late bytes and cost",
            "Each number is a policy in the table; its cross is the 95 % interval. Lower and further left is better. No "
                + "policy can lie below the dashed line, which is the offline (clairvoyant) optimum.",
            PlaneDrawing(study: study, front: front).html)
        lines += section(
            "Results by device",
            hasDots
                ? "A dot is a device; the bar runs from the 10th to the 90th percentile; the thick mark is the median."
                : "The bar runs from the 10th to the 90th percentile of the devices; the thick mark is the median.",
            spread)
        let delays = DelayDrawing(study: study)
        lines += section("Delay", delays.caption, delays.html)
        if !timelines.isEmpty { lines += section("Devices", devicesText, devices) }
        lines += section("How this page was made", "The same inputs and options give the same page.", provenance)
        lines += ["</main>", "</body>", "</html>"]
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ title: String, _ text: String, _ body: String) -> [String] {
        ["<section>", "<h2>\(title)</h2>", "<p>\(text)</p>", body, "</section>"]
    }

    private var summary: String {
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
        let jobs = study.lines.first?.pooled.jobs ?? 0
        let span = study.lines.lazy.map(\.pooled.span).first { $0 > 0 } ?? 0
        return [
            count(study.lines.count, "policy", "policies"), "on", count(study.devices.count, "device", "devices") + ",",
            Study.shortDuration(span), "in total,", count(jobs, "job", "jobs"), "of",
            Markup.bytes(offeredBytes) + ".", Markup.escape(study.lowerBoundSummary),
        ].joined(separator: " ")
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
