// SPDX-License-Identifier: Apache-2.0

/// The share of jobs that finished within a time: one drawing with a curve per policy, or one small drawing per policy
/// if there are too many to tell apart.
struct DelayDrawing {
    let study: Study

    /// The sentences above the drawing.
    var caption: String {
        let text = "The share of all jobs that finished within a time after their submission."
        let gray = isDivided ? " The gray curve is the first policy." : ""
        guard let deadlines = study.deadlines else { return text + gray }
        let (least, most) = (Study.shortDuration(deadlines.lowerBound), Study.shortDuration(deadlines.upperBound))
        let marker =
            least == most
            ? "The dotted line is the deadline of \(most)."
            : "The dotted lines are the deadlines, from \(least) to \(most)."
        return "\(text) \(marker)\(gray)"
    }

    /// The policies of which any job finished.
    private var numbers: [Int] { study.lines.indices.filter { !study.lines[$0].pooled.delays.isEmpty } }

    /// Whether each policy has a drawing of its own.
    private var isDivided: Bool { numbers.count > StudyPage.colors }

    /// The HTML text of the drawing.
    var html: String {
        let longest = study.lines.compactMap(\.pooled.delays.maximum).max() ?? 86_400
        let axis = DelayAxis(to: max(longest, study.deadlines?.upperBound ?? 0))
        guard let first = numbers.first else { return "<p>No job finished.</p>" }
        guard isDivided else { return together(numbers, axis) }
        let small = numbers.map { number -> String in
            var drawing = Drawing(height: 132, title: "Jobs finished within a time, \(study.lines[number].name)")
            background(axis, bottom: 110, top: 6, count: 2, &drawing)
            if number != first { curve(first, "reference", 60, axis, bottom: 110, top: 6, &drawing) }
            curve(number, "curve c\(number % StudyPage.colors)", 60, axis, bottom: 110, top: 6, &drawing)
            drawing.axis(axis.labels, atHeight: 126, narrow: 110, broad: 150)
            return "<figure>\(StudyPage.label(number, study.lines[number].name))\(drawing.framed)</figure>"
        }
        return "<div class=\"multiples\">\n\(small.joined(separator: "\n"))\n</div>"
    }

    private func together(_ numbers: [Int], _ axis: DelayAxis) -> String {
        var drawing = Drawing(height: 384, title: "Share of jobs finished within a time")
        background(axis, bottom: 340, top: 24, count: 5, &drawing)
        drawing.axis(axis.labels, atHeight: 358, narrow: 300, broad: 610)
        drawing.text("after submission", 100, 380, anchor: "end", "axis")
        if let deadlines = study.deadlines {
            let end = axis(deadlines.upperBound)
            drawing.text(
                deadlineText(deadlines), end, 14, offset: 0, anchor: end > 70 ? "end" : end < 30 ? "start" : "middle",
                "axis")
        }
        for number in numbers {
            curve(number, "curve \(StudyPage.style(number))", 200, axis, bottom: 340, top: 24, &drawing)
        }
        let legend = numbers.map { number in
            "<li><i class=\"\(StudyPage.style(number))\"></i>\(number + 1) \(Markup.escape(study.lines[number].name))</li>"
        }
        return drawing.framed + "\n<ul class=\"curves\">\n\(legend.joined(separator: "\n"))\n</ul>"
    }

    /// Draws the grid and the deadlines.
    private func background(
        _ axis: DelayAxis, bottom: Double, top: Double, count: Double, _ drawing: inout Drawing
    ) {
        let y = Scale(to: 100, positions: (bottom, top), count: count)
        for mark in axis.marks { drawing.line(axis(mark.seconds), bottom, axis(mark.seconds), top, "grid") }
        for tick in y.ticks {
            drawing.line(0, y(tick), 100, y(tick), "grid")
            drawing.text("\(y.text(tick)) %", 0, y(tick) + 4, offset: -8, anchor: "end")
        }
        guard let deadlines = study.deadlines else { return }
        let (from, to) = (axis(deadlines.lowerBound), axis(deadlines.upperBound))
        if from < to { drawing.rectangle(from, top, width: to - from, height: bottom - top, "deadlines") }
        for position in from < to ? [from, to] : [to] { drawing.line(position, bottom, position, top, "deadline") }
    }

    /// The deadlines in words.
    private func deadlineText(_ deadlines: ClosedRange<Double>) -> String {
        let (from, to) = (Study.shortDuration(deadlines.lowerBound), Study.shortDuration(deadlines.upperBound))
        return from == to ? "deadline \(to)" : "deadlines \(from) to \(to)"
    }

    /// Draws a curve of at most `count` steps, however many jobs there are. The curve continues to the right side at
    /// the share of jobs that finished.
    private func curve(
        _ number: Int, _ style: String, _ count: Int, _ axis: DelayAxis, bottom: Double, top: Double,
        _ drawing: inout Drawing
    ) {
        let summary = study.lines[number].pooled
        let (delays, jobs) = (summary.delays, Double(max(1, summary.jobs)))
        func height(_ share: Double) -> Double { bottom - share * (bottom - top) }
        let count = min(count, delays.count)
        guard count > 0 else { return }
        let steps = (1...count).map { step -> (x: Double, y: Double) in
            let position = step * delays.count / count
            return (axis(delays.value(atRank: position - 1)), height(Double(position) / jobs))
        }
        drawing.steps(
            [(0, bottom)] + steps + [(100, height(Double(delays.count) / jobs))], style)
    }
}
