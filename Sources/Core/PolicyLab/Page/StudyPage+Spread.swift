// SPDX-License-Identifier: Apache-2.0

extension StudyPage {
    /// The drawing of each device's share of late bytes and cost, with one row per policy.
    var spread: String {
        let rowHeight = 30.0
        let height = Double(study.lines.count) * rowHeight + 60
        var drawing = Drawing(width: 960, height: height, title: "Late bytes and cost by device")
        let late = study.lines.map { line in line.devices.map { $0.lateShare * 100 } }
        let cost = study.lines.map { line in line.devices.map { $0.onTimeCostPerMegabyte ?? 0 } }
        let panels = [
            (title: "late or unfinished, % of bytes", values: late, positions: (from: 190.0, to: 540.0), least: 1.0),
            (title: "cost per MB", values: cost, positions: (from: 600.0, to: 940.0), least: 0.1),
        ]
        for (number, line) in study.lines.enumerated() {
            let y = 34 + (Double(number) + 0.5) * rowHeight
            drawing.text("\(number + 1)", 8, y + 4, "number")
            drawing.text(Self.short(line.name), 30, y + 4)
        }
        for panel in panels {
            // If single devices are not drawn, nothing lies beyond the bars.
            let share = study.devices.count > Self.maximumDots ? 0.9 : 1
            let largest = panel.values.compactMap { Summary.quantile($0.sorted(), share) }.max() ?? 0
            let scale = Scale(to: max(panel.least, largest), positions: panel.positions)
            drawing.text(panel.title, panel.positions.from, 14, "axis")
            for tick in scale.ticks {
                drawing.line(scale(tick), 24, scale(tick), height - 24, "grid")
                drawing.text(scale.text(tick), scale(tick), height - 8, anchor: "middle")
            }
            for (number, values) in panel.values.enumerated() {
                let y = 34 + (Double(number) + 0.5) * rowHeight
                row(values, scale, y, number, &drawing)
            }
        }
        return drawing.svg
    }

    private func row(_ values: [Double], _ scale: Scale, _ y: Double, _ number: Int, _ drawing: inout Drawing) {
        let sorted = values.sorted()
        guard let low = Summary.quantile(sorted, 0.1), let middle = Summary.quantile(sorted, 0.5),
            let high = Summary.quantile(sorted, 0.9)
        else { return }
        let color = "c\(number % Self.colors)"
        if values.count > 1 {
            drawing.rectangles([(scale(low), y - 5, max(1, scale(high) - scale(low)), 10)], "box \(color)")
        }
        if values.count <= Self.maximumDots {
            for (device, value) in zip(study.devices, values) {
                let text = "\(device): \(Decimal.text(value, digits: 3))"
                drawing.circle(scale(value), y, radius: 3, "device \(color)", hint: text)
            }
        }
        drawing.line(scale(middle), y - 8, scale(middle), y + 8, "middle \(color)")
    }

    /// Returns a name that fits its column.
    static func short(_ name: String, letters: Int = 22) -> String {
        name.count > letters ? "\(name.prefix(letters - 1))…" : name
    }
}
