// SPDX-License-Identifier: Apache-2.0

extension StudyPage {
    /// Late bytes against cost, with the front of what is possible.
    var plane: String {
        var drawing = Drawing(width: 960, height: 460, title: "Share of late bytes against cost per megabyte")
        let points = study.lines.map { line in
            (late: line.pooled.lateShare * 100, cost: line.pooled.onTimeCostPerMegabyte ?? 0)
        }
        // The front begins with nothing on time: only what lies near the policies is of interest.
        let x = Scale(to: max(1, points.map(\.late).max() ?? 1) * 1.05, places: (70, 930), count: 8)
        let costs = points.map(\.cost) + study.lines.compactMap { $0.costInterval?.upperBound }
        let y = Scale(to: max(0.1, costs.max() ?? 1) * 1.05, places: (410, 32))
        for tick in x.ticks {
            drawing.line(x(tick), y.places.from, x(tick), y.places.to, "grid")
            drawing.text(x.text(tick), x(tick), 430, anchor: "middle")
        }
        for tick in y.ticks {
            drawing.line(x.places.from, y(tick), x.places.to, y(tick), "grid")
            drawing.text(y.text(tick), 62, y(tick) + 4, anchor: "end")
        }
        drawing.text("late or undone, % of bytes", x.places.to, 452, anchor: "end", "axis")
        drawing.text("cost per MB", 8, 14, "axis")
        drawing.path(Self.clipped(front, to: x.range.upperBound).map { (x($0.late), y($0.cost)) }, "front")
        for (number, line) in study.lines.enumerated() {
            let (px, py) = (x(points[number].late), y(points[number].cost))
            if let range = line.lateShareInterval {
                drawing.line(
                    x(range.lowerBound * 100), py, x(range.upperBound * 100), py, "whisker c\(number % Self.colours)")
            }
            if let range = line.costInterval {
                drawing.line(px, y(range.lowerBound), px, y(range.upperBound), "whisker c\(number % Self.colours)")
            }
        }
        var taken = points.map { (x: x($0.late), y: y($0.cost)) }
        for (number, line) in study.lines.enumerated() {
            let (px, py) = (x(points[number].late), y(points[number].cost))
            drawing.circle(px, py, radius: 6, "dot \(Self.style(number))", hint: "\(number + 1) \(line.name)")
            let place = Self.freePlace(by: (px, py), taken)
            taken.append(place)
            drawing.text("\(number + 1)", place.x, place.y + 4, anchor: "middle", "number")
        }
        return drawing.svg
    }

    /// The part of the front up to a share of late bytes, in percent.
    private static func clipped(
        _ front: [(late: Double, cost: Double)], to largest: Double
    ) -> [(late: Double, cost: Double)] {
        let points = front.map { (late: $0.late * 100, cost: $0.cost) }
        var kept: [(late: Double, cost: Double)] = []
        for (before, point) in zip(points, points.dropFirst()) where point.late <= largest {
            if before.late > largest {
                let share = (before.late - largest) / (before.late - point.late)
                kept.append((largest, before.cost + (point.cost - before.cost) * share))
            } else if kept.isEmpty {
                kept.append(before)
            }
            kept.append(point)
        }
        return kept
    }

    /// A place for a number beside its dot, as far as can be from all that is drawn already.
    private static func freePlace(
        by dot: (x: Double, y: Double), _ taken: [(x: Double, y: Double)]
    ) -> (x: Double, y: Double) {
        let ways: [(Double, Double)] = [
            (13, -10), (-13, -10), (13, 12), (-13, 12), (0, -17), (0, 19), (19, 0), (-19, 0), (26, -16), (-26, -16),
            (26, 18), (-26, 18), (0, -32), (0, 34), (36, 0), (-36, 0),
        ]
        func room(_ place: (x: Double, y: Double)) -> Double {
            taken.map { ($0.x - place.x) * ($0.x - place.x) + ($0.y - place.y) * ($0.y - place.y) }.min() ?? 400
        }
        let places = ways.map { (x: dot.x + $0.0, y: dot.y + $0.1) }.filter { $0.y > 10 && $0.y < 405 && $0.x > 74 }
        let roomy = places.first { room($0) >= 196 }
        return roomy ?? places.max { room($0) < room($1) } ?? dot
    }
}
