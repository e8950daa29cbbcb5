// SPDX-License-Identifier: Apache-2.0

/// An SVG drawing that is as wide as its surroundings. Horizontal positions are percentages of the width, vertical
/// positions are pixels. Text therefore has the same size on a phone and on a wide screen.
struct Drawing {
    /// The width of the coordinates of paths, which the browser stretches to the drawing's width.
    static let pathWidth = 1000.0

    private enum Part {
        case fixed(String)
        case stretched(String)
    }

    let height: Double
    private let title: String
    private var parts: [Part] = []

    /// - Parameter title: A description of the drawing for screen readers.
    init(height: Double, title: String) {
        (self.height, self.title) = (height, title)
    }

    var svg: String {
        var lines = ["<svg height=\"\(Markup.number(height))\" role=\"img\" aria-label=\"\(Markup.escape(title))\">"]
        var isStretched = false
        for part in parts + [.fixed("</svg>")] {
            switch part {
            case .fixed(let text):
                if isStretched { lines.append("</svg>") }
                lines.append(text)
                isStretched = false
            case .stretched(let text):
                if !isStretched { lines.append(Self.stretched(height)) }
                lines.append(text)
                isStretched = true
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the start of an inner drawing whose coordinates the browser stretches to the whole width.
    private static func stretched(_ height: Double) -> String {
        let size = "\(Markup.number(pathWidth)) \(Markup.number(height))"
        return "<svg viewBox=\"0 0 \(size)\" height=\"\(Markup.number(height))\" preserveAspectRatio=\"none\">"
    }

    /// The drawing with room for the labels of its vertical axis.
    var framed: String { "<div class=\"frame\">\n\(svg)\n</div>" }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
        let points = [("x1", x1, "%"), ("y1", y1, ""), ("x2", x2, "%"), ("y2", y2, "")].map {
            "\($0.0)=\"\(Markup.number($0.1))\($0.2)\""
        }
        parts.append(.fixed("<line \(points.joined(separator: " ")) class=\"\(style)\"/>"))
    }

    mutating func path(_ points: [(x: Double, y: Double)], _ style: String) {
        guard !points.isEmpty else { return }
        let steps = points.map { "\(Markup.number($0.x / 100 * Self.pathWidth)) \(Markup.number($0.y))" }
        parts.append(.stretched("<path d=\"M\(steps.joined(separator: "L"))\" class=\"\(style)\"/>"))
    }

    /// Draws a rising curve of steps: each point is reached by a horizontal and then a vertical line.
    mutating func steps(_ points: [(x: Double, y: Double)], _ style: String) {
        guard let first = points.first else { return }
        var text = "M\(Markup.number(first.x / 100 * Self.pathWidth)) \(Markup.number(first.y))"
        for point in points.dropFirst() {
            text += "H\(Markup.number(point.x / 100 * Self.pathWidth))V\(Markup.number(point.y))"
        }
        parts.append(.stretched("<path d=\"\(text)\" class=\"\(style)\"/>"))
    }

    mutating func rectangle(_ x: Double, _ y: Double, width: Double, height: Double, _ style: String) {
        let position = "x=\"\(Markup.number(x))%\" y=\"\(Markup.number(y))\""
        let size = "width=\"\(Markup.number(width))%\" height=\"\(Markup.number(height))\""
        parts.append(.fixed("<rect \(position) \(size) class=\"\(style)\"/>"))
    }

    mutating func circle(_ x: Double, _ y: Double, radius: Double, _ style: String, hint: String = "") {
        let position = "cx=\"\(Markup.number(x))%\" cy=\"\(Markup.number(y))\" r=\"\(Markup.number(radius))\""
        let title = hint.isEmpty ? "" : "<title>\(Markup.escape(hint))</title>"
        parts.append(.fixed("<circle \(position) class=\"\(style)\">\(title)</circle>"))
    }

    /// Draws an arrow that points out of the right side, because something continues beyond the drawing.
    mutating func continuation(atHeight y: Double, _ style: String, hint: String) {
        parts.append(
            .fixed(
                "<svg x=\"100%\" y=\"\(Markup.number(y))\" class=\"continues\"><path d=\"M-2 -5L8 0L-2 5z\" "
                    + "class=\"\(style)\"><title>\(Markup.escape(hint))</title></path></svg>"))
    }

    /// - Parameters:
    ///   - offset: The distance from `x` to the right, in pixels.
    ///   - anchor: `start`, `middle` or `end`.
    mutating func text(
        _ text: String, _ x: Double, _ y: Double, offset: Double = 0, anchor: String = "start",
        _ style: String = "label"
    ) {
        let shift = offset == 0 ? "" : " dx=\"\(Markup.number(offset))\""
        let position = "x=\"\(Markup.number(x))%\" y=\"\(Markup.number(y))\"\(shift) text-anchor=\"\(anchor)\""
        parts.append(.fixed("<text \(position) class=\"\(style)\">\(Markup.escape(text))</text>"))
    }

    /// Draws labels along a horizontal axis, as many as fit. Labels that fit only on a wide screen have the style
    /// `wide`.
    ///
    /// - Parameters:
    ///   - labels: The labels with their positions in percent, in ascending order.
    ///   - margin: The free space to the left of the drawing, in pixels.
    mutating func axis(
        _ labels: [(x: Double, text: String)], atHeight y: Double, narrow: Double, broad: Double, margin: Double = 40
    ) {
        let wide = AxisLabels(labels, width: broad, margin: margin)
        let small = AxisLabels(wide.fitting.map { labels[$0] }, width: narrow, margin: margin)
        let onNarrow = Set(small.fitting.map { wide.fitting[$0] })
        for index in wide.fitting {
            let (x, label) = labels[index]
            // The widths differ, so a label that fits one of them may not fit the other.
            let anchor = wide.isShifted(index) || AxisLabels(labels, width: narrow, margin: margin).isShifted(index)
            text(label, x, y, anchor: anchor ? "start" : "middle", onNarrow.contains(index) ? "label" : "label wide")
        }
    }
}
