// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A device's days as bands: power, network, and one band of transfers per policy.
///
/// ```swift
/// let timeline = PageTimeline(trace, bands: [.init(name: "strict", activity: outcome.activity)])
/// ```
public struct PageTimeline: Sendable {
    /// The times at which a policy transferred bytes.
    public struct Band: Sendable {
        /// The name of the policy.
        public var name: String
        /// The periods of transfer, in chronological order.
        public var activity: [DeviceOutcome.Activity]

        /// Creates a band.
        public init(name: String, activity: [DeviceOutcome.Activity]) {
            self.name = name
            self.activity = activity
        }
    }

    /// The device's name in the study.
    let name: String
    let bands: [Band]
    private let trace: Trace

    /// Creates a timeline.
    ///
    /// - Parameters:
    ///   - trace: The device's days.
    ///   - name: The device's name in the study; `nil` for the name of the trace.
    ///   - bands: The transfers, one band per policy.
    public init(_ trace: Trace, name: String? = nil, bands: [Band]) {
        self.trace = trace
        self.name = name ?? trace.device
        self.bands = bands
    }

    /// The number of columns for the whole trace. The size of the drawing does not grow with the trace.
    private static let columns = 790

    private var start: Int64 { trace.start.nanosecondsSinceEpoch }
    private var span: Double { Double(trace.end.nanosecondsSinceEpoch &- start) }

    /// Returns the HTML text of the drawing.
    ///
    /// - Parameter policies: The names of the study's policies. A band has its policy's color.
    func html(policies: [String]) -> String {
        let segments = sampled()
        let marks = marks
        var rows = [
            row("power", 14, segments.map { $0.map(Self.power) ?? "unknown" }, marks),
            row("network", 14, segments.map { $0.map(Self.network) ?? "unknown" }, marks),
        ]
        for (number, band) in bands.enumerated() {
            let style = "c\((policies.firstIndex(of: band.name) ?? number) % StudyPage.colors)"
            rows.append(row(band.name, 12, activeColumns(band).map { $0 ? style : nil }, marks))
        }
        var axis = Drawing(height: 18, title: "Time")
        axis.axis(marks, atHeight: 13, narrow: 340, broad: 500, margin: 4)
        rows.append("<div class=\"band\"><span></span>\(axis.svg)</div>")
        return "<div class=\"days\">\n\(rows.joined(separator: "\n"))\n</div>\n\(Self.legend)"
    }

    private static let legend =
        "<p class=\"legend\"><i class=\"ac\"></i>AC power <i class=\"battery\"></i>battery <i class=\"free\"></i>unmetered "
        + "<i class=\"metered\"></i>metered <i class=\"none\"></i>none or asleep <i class=\"unknown\"></i>unknown</p>"

    private static func power(_ segment: Trace.Segment) -> String {
        switch segment.power {
        case .ac: "ac"
        case .battery: "battery"
        case .unknown: "unknown"
        }
    }

    private static func network(_ segment: Trace.Segment) -> String {
        if segment.isSuspended { return "none" }
        switch segment.network {
        case .none: return "none"
        case .unknown: return "unknown"
        case .wifi, .ethernet, .cell: return segment.isMetered ? "metered" : "free"
        }
    }

    /// Returns the segment at the middle of each column.
    private func sampled() -> [Trace.Segment?] {
        (0..<Self.columns).map { column in
            let middle = start &+ Int64((Double(column) + 0.5) / Double(Self.columns) * span)
            return trace.segment(at: WallTime(nanosecondsSinceEpoch: middle))
        }
    }

    /// Returns for each column whether any byte arrived in it.
    private func activeColumns(_ band: Band) -> [Bool] {
        var columns = Array(repeating: false, count: Self.columns)
        func column(_ date: WallTime) -> Int {
            let share = Double(date.nanosecondsSinceEpoch &- start) / span
            return min(max(0, Int(share * Double(Self.columns))), Self.columns - 1)
        }
        for activity in band.activity {
            for index in column(activity.start)...max(column(activity.start), column(activity.end)) {
                columns[index] = true
            }
        }
        return columns
    }

    /// Returns a band as thick lines, one path per style.
    private func row(
        _ title: String, _ height: Int, _ styles: [String?], _ marks: [(x: Double, text: String)]
    ) -> String {
        var paths: [String: String] = [:]
        for run in runs(styles) { paths[run.style, default: ""] += "M\(run.from) \(height / 2)H\(run.to)" }
        let body = paths.sorted { $0.key < $1.key }.map { "<path d=\"\($0.value)\" class=\"\($0.key)\"/>" }
        let lines = marks.map { "M\(Markup.number($0.x / 100 * Double(Self.columns))) 0V\(height)" }.joined()
        let grid = lines.isEmpty ? "" : "<path d=\"\(lines)\" class=\"midnight\"/>"
        let view = "viewBox=\"0 0 \(Self.columns) \(height)\" height=\"\(height)\" preserveAspectRatio=\"none\""
        return "<div class=\"band\"><span>\(Markup.escape(title))</span>"
            + "<svg \(view) role=\"img\" aria-label=\"\(Markup.escape(title))\">\(body.joined())\(grid)</svg></div>"
    }

    /// Combines adjacent columns of the same style. Leaves out columns whose style is `nil`.
    private func runs(_ styles: [String?]) -> [(style: String, from: Int, to: Int)] {
        var runs: [(style: String, from: Int, to: Int)] = []
        for (column, style) in styles.enumerated() {
            guard let style else { continue }
            if let last = runs.last, last.to == column, last.style == style {
                runs[runs.count - 1].to = column + 1
            } else {
                runs.append((style, column, column + 1))
            }
        }
        return runs
    }

    /// The marks of the time axis, with their positions in percent: at midnight, or also at other hours if the days
    /// are few.
    private var marks: [(x: Double, text: String)] {
        let hour: Int64 = 3_600_000_000_000
        let hours = span / Double(hour)
        let step: Int64 =
            hours <= 3 ? 1 : hours <= 12 ? 3 : hours <= 72 ? 6 : 24 * Int64(max(1, (hours / 24 / 40).rounded(.up)))
        let length = step * hour
        // Rounds up to a multiple of the step, also before the epoch.
        var mark = start &+ ((length - start % length) % length)
        if mark < start { mark += length }
        var marks: [(x: Double, text: String)] = []
        while mark < start &+ Int64(span) {
            marks.append((Double(mark &- start) / span * 100, Self.label(WallTime(nanosecondsSinceEpoch: mark))))
            mark += length
        }
        return marks
    }

    /// Returns the day of a midnight, such as `24 Nov`, or the time of another moment.
    private static func label(_ date: WallTime) -> String {
        let time = LocalTimeRules.utc.clockTime(of: date)
        guard time == "00:00" else { return time }
        let words = LocalTimeRules.utc.dateAndTime(of: date).split(separator: " ")
        return words.dropFirst().prefix(2).joined(separator: " ")
    }
}
