// SPDX-License-Identifier: Apache-2.0

/// The drawing of late bytes against cost, with the Pareto front.
struct PlaneDrawing {
    let study: Study
    /// The corners of the Pareto front: the share of late bytes, and the cost per submitted megabyte.
    let front: [(late: Double, cost: Double)]

    /// The HTML text of the drawing.
    var html: String {
        var drawing = Drawing(height: 446, title: "Share of late bytes against cost per megabyte")
        let points = study.lines.map { line in
            (late: line.pooled.lateShare * 100, cost: line.pooled.onTimeCostPerMegabyte ?? 0)
        }
        // The front begins with nothing on time. Only the part near the policies is of interest.
        let late = points.map(\.late) + study.lines.compactMap { $0.lateShareInterval.map { $0.upperBound * 100 } }
        let costs = points.map(\.cost) + study.lines.compactMap { $0.costInterval?.upperBound }
        let x = Scale(to: max(1, late.max() ?? 1), positions: (0, 100), count: 7)
        let y = Scale(to: max(0.1, costs.max() ?? 1), positions: (404, 26))
        for tick in x.ticks { drawing.line(x(tick), y.positions.from, x(tick), y.positions.to, "grid") }
        drawing.axis(x.ticks.map { (x($0), x.text($0)) }, atHeight: 422, narrow: 300, broad: 610)
        for tick in y.ticks {
            drawing.line(0, y(tick), 100, y(tick), "grid")
            drawing.text(y.text(tick), 0, y(tick) + 4, offset: -8, anchor: "end")
        }
        drawing.text("late or unfinished, % of bytes", 100, 442, anchor: "end", "axis")
        drawing.text("cost per MB", 0, 12, offset: -44, "axis")
        let visible = Self.clipped(front, to: x.range.upperBound).map { (x: x($0.late), y: y($0.cost)) }
        drawing.path(visible, "front")
        if let edge = visible.first, (front.first?.late ?? 0) * 100 > x.range.upperBound {
            drawing.continuation(
                atHeight: edge.y, "axis", hint: "The optimum continues to cost 0 with every byte late.")
        }
        for (number, line) in study.lines.enumerated() {
            let (px, py) = (x(points[number].late), y(points[number].cost))
            let style = "whisker c\(number % StudyPage.colors)"
            if let range = line.lateShareInterval {
                drawing.line(x(range.lowerBound * 100), py, x(range.upperBound * 100), py, style)
            }
            if let range = line.costInterval { drawing.line(px, y(range.lowerBound), px, y(range.upperBound), style) }
        }
        let dots = points.map { (x: x($0.late), y: y($0.cost)) }
        for (number, line) in study.lines.enumerated() {
            let (dot, style) = (dots[number], "dot \(StudyPage.style(number))")
            drawing.circle(dot.x, dot.y, radius: 6, style, hint: "\(number + 1) \(line.name)")
        }
        Self.label(dots, width: 640, "number wide", &drawing)
        Self.label(dots, width: 300, "number narrow", &drawing)
        return drawing.framed
    }

    /// Returns the part of the front up to a share of late bytes, in percent.
    private static func clipped(
        _ front: [(late: Double, cost: Double)], to largest: Double
    ) -> [(late: Double, cost: Double)] {
        let points = front.map { (late: $0.late * 100, cost: $0.cost) }
        var visible: [(late: Double, cost: Double)] = []
        for (before, point) in zip(points, points.dropFirst()) where point.late <= largest {
            if before.late > largest {
                let share = (before.late - largest) / (before.late - point.late)
                visible.append((largest, before.cost + (point.cost - before.cost) * share))
            } else if visible.isEmpty {
                visible.append(before)
            }
            visible.append(point)
        }
        return visible
    }

    /// Writes the policies' numbers beside their dots. Dots that touch share a label, because their numbers would
    /// otherwise be ambiguous. What touches depends on the width of the drawing in pixels.
    private static func label(
        _ dots: [(x: Double, y: Double)], width: Double, _ style: String, _ drawing: inout Drawing
    ) {
        var groups: [[Int]] = []
        for (number, dot) in dots.enumerated() {
            func touches(_ other: Int) -> Bool {
                let (dx, dy) = ((dots[other].x - dot.x) / 100 * width, dots[other].y - dot.y)
                return dx * dx + dy * dy < 144
            }
            if let group = groups.firstIndex(where: { $0.contains(where: touches) }) {
                groups[group].append(number)
            } else {
                groups.append([number])
            }
        }
        var occupied = dots.map { Box(x: $0.x / 100 * width - 7, y: $0.y - 7, width: 14, height: 14) }
        for group in groups {
            let around = Box(around: group.map { occupied[$0] })
            func place(_ text: String) -> Box? {
                around.positions(forWidth: Double(text.count) * 7.5, height: 13).first { position in
                    position.isInside(width: width) && !occupied.contains(where: position.overlaps)
                }
            }
            var text = numbers(group)
            var box = place(text)
            if box == nil, group.count > 2 {
                text = "\(group[0] + 1) + \(group.count - 1) more"
                box = place(text)
            }
            let position = box ?? Box(x: around.x + around.width + 3, y: around.y, width: 0, height: 13)
            occupied.append(position)
            let dot = dots[group[0]].x
            drawing.text(text, dot, position.y + 11, offset: position.x - dot / 100 * width, style)
        }
    }

    /// Returns the numbers of policies, with three or more consecutive ones as a range: `1, 4–9`.
    static func numbers(_ group: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for number in group.map({ $0 + 1 }) {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.flatMap { range in
            range.count > 2 ? ["\(range.lowerBound)–\(range.upperBound)"] : range.map(String.init)
        }.joined(separator: ", ")
    }
}

/// The rectangle that an element occupies in the drawing.
private struct Box {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Creates the smallest box around boxes, of which there is at least one.
    init(around boxes: [Box]) {
        x = boxes.map(\.x).min() ?? 0
        y = boxes.map(\.y).min() ?? 0
        width = (boxes.map { $0.x + $0.width }.max() ?? 0) - x
        height = (boxes.map { $0.y + $0.height }.max() ?? 0) - y
    }

    /// Returns whether the box lies between the axes of a drawing with a width in pixels.
    func isInside(width drawing: Double) -> Bool { x > 2 && x + width < drawing + 8 && y > 14 && y + height < 411 }

    func overlaps(_ other: Box) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }

    /// Returns the possible positions of a label beside the box, in order of preference.
    func positions(forWidth wide: Double, height high: Double) -> [Box] {
        let middle = y + (height - high) / 2
        let (right, left) = (x + width + 3, x - wide - 3)
        let center = x + (width - wide) / 2
        return [
            (right, middle), (right, y - high + 4), (right, y + height - 4), (center, y - high - 1),
            (center, y + height + 1), (left, middle), (left, y - high + 4), (left, y + height - 4),
        ].map { Box(x: $0.0, y: $0.1, width: wide, height: high) }
    }
}
