// SPDX-License-Identifier: Apache-2.0

/// Conversions to text for HTML and SVG.
enum Markup {
    static func escape(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
        return result
    }

    /// Returns a coordinate with at most two decimal places, which is finer than any screen.
    static func number(_ value: Double) -> String {
        var text = Decimal.text(value, digits: 2)
        while text.contains("."), text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}

/// An SVG drawing that is composed step by step.
struct Drawing {
    let width: Double
    let height: Double
    private let title: String
    private var body: [String] = []

    /// - Parameter title: A description of the drawing for screen readers.
    init(width: Double, height: Double, title: String) {
        (self.width, self.height, self.title) = (width, height, title)
    }

    var svg: String {
        let size = "\(Markup.number(width)) \(Markup.number(height))"
        let name = Markup.escape(title)
        return (["<svg viewBox=\"0 0 \(size)\" role=\"img\" aria-label=\"\(name)\">"] + body + ["</svg>"])
            .joined(separator: "\n")
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
        let points = zip(["x1", "y1", "x2", "y2"], [x1, y1, x2, y2]).map { "\($0)=\"\(Markup.number($1))\"" }
        body.append("<line \(points.joined(separator: " ")) class=\"\(style)\"/>")
    }

    mutating func path(_ points: [(x: Double, y: Double)], _ style: String) {
        guard !points.isEmpty else { return }
        let steps = points.map { "\(Markup.number($0.x)) \(Markup.number($0.y))" }
        body.append("<path d=\"M\(steps.joined(separator: "L"))\" class=\"\(style)\"/>")
    }

    /// Draws rectangles of the same style as one path.
    mutating func rectangles(_ all: [(x: Double, y: Double, width: Double, height: Double)], _ style: String) {
        guard !all.isEmpty else { return }
        let parts = all.map {
            "M\(Markup.number($0.x)) \(Markup.number($0.y))h\(Markup.number($0.width))v\(Markup.number($0.height))"
                + "h\(Markup.number(-$0.width))z"
        }
        body.append("<path d=\"\(parts.joined())\" class=\"\(style)\"/>")
    }

    mutating func circle(_ x: Double, _ y: Double, radius: Double, _ style: String, hint: String = "") {
        let position = "cx=\"\(Markup.number(x))\" cy=\"\(Markup.number(y))\" r=\"\(Markup.number(radius))\""
        let title = hint.isEmpty ? "" : "<title>\(Markup.escape(hint))</title>"
        body.append("<circle \(position) class=\"\(style)\">\(title)</circle>")
    }

    /// - Parameter anchor: `start`, `middle` or `end`.
    mutating func text(
        _ text: String, _ x: Double, _ y: Double, anchor: String = "start", _ style: String = "label"
    ) {
        let position = "x=\"\(Markup.number(x))\" y=\"\(Markup.number(y))\" text-anchor=\"\(anchor)\""
        body.append("<text \(position) class=\"\(style)\">\(Markup.escape(text))</text>")
    }
}

/// A mapping from values to coordinates, with round values for the labels.
struct Scale {
    let range: ClosedRange<Double>
    let positions: (from: Double, to: Double)
    let ticks: [Double]

    /// Creates a scale from 0 to at least `largest`.
    init(to largest: Double, positions: (from: Double, to: Double), count: Double = 5) {
        let top = largest > 0 && largest.isFinite ? largest : 1
        var step = 1.0
        while step > top / count { step /= 10 }
        while step * 10 <= top / count { step *= 10 }
        step = [1, 2, 5, 10].map { $0 * step }.first { top / $0 <= count } ?? step * 10
        let steps = (top / step).rounded(.up)
        range = 0...(steps * step)
        self.positions = positions
        ticks = (0...Int(steps)).map { Double($0) * step }
    }

    func callAsFunction(_ value: Double) -> Double {
        let share = (min(max(value, range.lowerBound), range.upperBound) - range.lowerBound)
        return positions.from + share / (range.upperBound - range.lowerBound) * (positions.to - positions.from)
    }

    /// Returns the label of a tick, with as many digits as the distance between ticks requires.
    func text(_ tick: Double) -> String {
        let step = ticks.count > 1 ? ticks[1] - ticks[0] : 1
        return Decimal.text(tick, digits: step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3)
    }
}
