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

    private let trace: Trace
    private let bands: [Band]
    private static let left = 150.0
    private static let width = 790.0

    /// Creates a timeline.
    public init(_ trace: Trace, bands: [Band]) {
        self.trace = trace
        self.bands = bands
    }

    /// The number of columns for the whole trace. The size of the drawing does not grow with the trace.
    private static let columns = 790

    private var start: Int64 { trace.start.nanosecondsSinceEpoch }
    private var span: Double { Double(trace.end.nanosecondsSinceEpoch &- start) }

    var html: String {
        let height = 74 + Double(bands.count) * 18
        var drawing = Drawing(width: 960, height: height, title: "Days of \(trace.device)")
        let segments = sampled()
        band("power", 12, segments.map { segment in segment.map(Self.power) ?? "unknown" }, &drawing)
        band("network", 30, segments.map { segment in segment.map(Self.network) ?? "unknown" }, &drawing)
        for (number, band) in bands.enumerated() {
            let y = 52 + Double(number) * 18
            drawing.text(StudyPage.short(band.name, letters: 19), Self.left - 8, y + 10, anchor: "end")
            drawing.line(Self.left, y + 12, Self.left + Self.width, y + 12, "grid")
            drawing.rectangles(
                runs(activeColumns(band).map { $0 ? "a" : nil }).map { run in
                    (Self.left + Double(run.from), y, Double(run.to - run.from), 12)
                }, "transfer c\(number % StudyPage.colors)")
        }
        days(height, &drawing)
        return "<h3>\(Markup.escape(trace.device))</h3>\n\(drawing.svg)\n\(Self.legend)"
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

    private func band(_ name: String, _ y: Double, _ styles: [String], _ drawing: inout Drawing) {
        drawing.text(name, Self.left - 8, y + 10, anchor: "end")
        var byStyle: [String: [(x: Double, y: Double, width: Double, height: Double)]] = [:]
        for run in runs(styles) {
            byStyle[run.style, default: []].append((Self.left + Double(run.from), y, Double(run.to - run.from), 14))
        }
        for (style, all) in byStyle.sorted(by: { $0.key < $1.key }) { drawing.rectangles(all, style) }
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

    /// Draws marks at midnight UTC, as many as remain readable.
    private func days(_ height: Double, _ drawing: inout Drawing) {
        let day: Int64 = 86_400_000_000_000
        let count = Int(span / Double(day)) + 1
        let step = Int64(max(1, (count + 8) / 9))
        var midnight = (start / day + 1) * day
        while midnight < start &+ Int64(span) {
            let x = Self.left + Double(midnight &- start) / span * Self.width
            drawing.line(x, 8, x, height - 20, "midnight")
            drawing.text(TimelineText.date(midnight / day), x, height - 6, anchor: "middle")
            midnight += step * day
        }
    }
}
