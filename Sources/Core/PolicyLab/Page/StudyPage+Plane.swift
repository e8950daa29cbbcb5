// SPDX-License-Identifier: Apache-2.0

extension StudyPage {
    /// The drawing of late bytes against cost, with the Pareto front.
    var plane: String {
        var drawing = Drawing(width: 960, height: 460, title: "Share of late bytes against cost per megabyte")
        let points = study.lines.map { line in
            (late: line.pooled.lateShare * 100, cost: line.pooled.onTimeCostPerMegabyte ?? 0)
        }
        // The front begins with nothing on time. Only the part near the policies is of interest.
        let x = Scale(to: max(1, points.map(\.late).max() ?? 1) * 1.05, positions: (70, 930), count: 8)
        let costs = points.map(\.cost) + study.lines.compactMap { $0.costInterval?.upperBound }
        let y = Scale(to: max(0.1, costs.max() ?? 1) * 1.05, positions: (410, 32))
        for tick in x.ticks {
            drawing.line(x(tick), y.positions.from, x(tick), y.positions.to, "grid")
            drawing.text(x.text(tick), x(tick), 430, anchor: "middle")
        }
        for tick in y.ticks {
            drawing.line(x.positions.from, y(tick), x.positions.to, y(tick), "grid")
            drawing.text(y.text(tick), 62, y(tick) + 4, anchor: "end")
        }
        drawing.text("late or unfinished, % of bytes", x.positions.to, 452, anchor: "end", "axis")
        drawing.text("cost per MB", 8, 14, "axis")
        drawing.path(Self.clipped(front, to: x.range.upperBound).map { (x($0.late), y($0.cost)) }, "front")
        for (number, line) in study.lines.enumerated() {
            let (px, py) = (x(points[number].late), y(points[number].cost))
            if let range = line.lateShareInterval {
                drawing.line(
                    x(range.lowerBound * 100), py, x(range.upperBound * 100), py, "whisker c\(number % Self.colors)")
            }
            if let range = line.costInterval {
                drawing.line(px, y(range.lowerBound), px, y(range.upperBound), "whisker c\(number % Self.colors)")
            }
        }
        let dots = points.map { (x: x($0.late), y: y($0.cost)) }
        for (number, line) in study.lines.enumerated() {
            let (dot, style) = (dots[number], "dot \(Self.style(number))")
            drawing.circle(dot.x, dot.y, radius: 6, style, hint: "\(number + 1) \(line.name)")
        }
        Self.label(dots, &drawing)
        return drawing.svg
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
    /// otherwise be ambiguous.
    private static func label(_ dots: [(x: Double, y: Double)], _ drawing: inout Drawing) {
        var groups: [[Int]] = []
        for (number, dot) in dots.enumerated() {
            func touches(_ other: Int) -> Bool {
                let (dx, dy) = (dots[other].x - dot.x, dots[other].y - dot.y)
                return dx * dx + dy * dy < 144
            }
            if let group = groups.firstIndex(where: { $0.contains(where: touches) }) {
                groups[group].append(number)
            } else {
                groups.append([number])
            }
        }
        var occupied = dots.map { Box(x: $0.x - 7, y: $0.y - 7, width: 14, height: 14) }
        for group in groups {
            let text = group.map { "\($0 + 1)" }.joined(separator: ", ")
            let around = Box(around: group.map { occupied[$0] })
            let box = around.positions(forWidth: Double(text.count) * 7.5, height: 13).first { position in
                position.isInside && !occupied.contains(where: position.overlaps)
            }
            let position = box ?? Box(x: around.x + around.width + 3, y: around.y, width: 0, height: 13)
            occupied.append(position)
            drawing.text(text, position.x, position.y + 11, "number")
        }
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

    /// Whether the box lies between the axes.
    var isInside: Bool { x > 72 && x + width < 940 && y > 16 && y + height < 406 }

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
