// SPDX-License-Identifier: Apache-2.0
import RealModule

extension StudyPage {
    private static let marks: [(seconds: Double, text: String)] = [
        (10, "10 s"), (60, "1 min"), (600, "10 min"), (3600, "1 h"), (6 * 3600, "6 h"), (86_400, "1 d"),
        (2 * 86_400, "2 d"), (7 * 86_400, "7 d"), (30 * 86_400, "30 d"),
    ]

    /// The share of jobs that finished within a time, with one curve per policy.
    var curves: String {
        var drawing = Drawing(width: 960, height: 400, title: "Share of jobs finished within a time")
        let longest = study.lines.compactMap { $0.pooled.delays.last }.max() ?? 86_400
        let last = Self.marks.first { $0.seconds >= longest }?.seconds ?? 30 * 86_400
        let (left, right) = (60.0, 760.0)
        let y = Scale(to: 100, positions: (350, 20))
        func x(_ seconds: Double) -> Double {
            let share = Double.log(max(10, min(seconds, last)) / 10) / Double.log(last / 10)
            return left + share * (right - left)
        }
        for mark in Self.marks where mark.seconds <= last {
            drawing.line(x(mark.seconds), 350, x(mark.seconds), 20, "grid")
            drawing.text(mark.text, x(mark.seconds), 370, anchor: "middle")
        }
        for tick in y.ticks {
            drawing.line(left, y(tick), right, y(tick), "grid")
            drawing.text("\(y.text(tick)) %", 52, y(tick) + 4, anchor: "end")
        }
        drawing.text("after submission", right, 392, anchor: "end", "axis")
        var row = 0
        for (number, line) in study.lines.enumerated() where !line.pooled.delays.isEmpty {
            drawing.path(points(line.pooled).map { (x($0.seconds), y($0.share * 100)) }, "curve \(Self.style(number))")
            let labelY = 30 + Double(row) * 20
            drawing.line(778, labelY - 4, 806, labelY - 4, "curve \(Self.style(number))")
            drawing.text("\(number + 1) \(Self.short(line.name, letters: 19))", 812, labelY)
            row += 1
        }
        return drawing.svg
    }

    /// Returns a curve of at most 200 steps, however many jobs there are.
    private func points(_ summary: Summary) -> [(seconds: Double, share: Double)] {
        let (delays, jobs) = (summary.delays, max(1, summary.jobs))
        let count = min(200, delays.count)
        let steps = (1...count).map { step -> (Double, Double) in
            let position = step * delays.count / count
            return (delays[position - 1], Double(position) / Double(jobs))
        }
        return [(0, 0)] + steps
    }
}
