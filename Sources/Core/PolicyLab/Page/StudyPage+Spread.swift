// SPDX-License-Identifier: Apache-2.0

extension StudyPage {
    /// A metric of the devices, with its axis.
    private struct Panel {
        var title: String
        /// The values by policy and device.
        var values: [[Double]]
        var scale: Scale

        init(_ title: String, _ values: [[Double]], atLeast least: Double, share: Double) {
            self.title = title
            self.values = values
            let largest = values.compactMap { Summary.quantile($0.sorted(), share) }.max() ?? 0
            scale = Scale(to: max(least, largest), positions: (0, 100), count: 4)
        }
    }

    /// Whether each device is drawn as a dot.
    var hasDots: Bool {
        study.devices.count <= Self.maximumDots && study.devices.count * study.lines.count <= Self.maximumTotalDots
    }

    /// The drawing of each device's share of late bytes and cost, with one row per policy.
    var spread: String {
        // If single devices are not drawn, nothing lies beyond the bars.
        let share = hasDots ? 1 : 0.9
        let panels = [
            Panel(
                "late or unfinished, % of bytes", study.lines.map { $0.devices.map { $0.lateShare * 100 } }, atLeast: 1,
                share: share),
            Panel(
                "cost per MB", study.lines.map { $0.devices.map { $0.onTimeCostPerMegabyte ?? 0 } }, atLeast: 0.1,
                share: share),
        ]
        let heads = panels.map { "<div class=\"axis\">\(Markup.escape($0.title))</div>" }
        var rows = ["<div class=\"row\"><div class=\"who\"></div>\(heads.joined())</div>"]
        for (number, line) in study.lines.enumerated() {
            let strips = panels.map { strip($0, number, line.name) }
            rows.append("<div class=\"row\">\(Self.label(number, line.name))\(strips.joined(separator: "\n"))</div>")
        }
        let axes = panels.map { panel -> String in
            var drawing = Drawing(height: 18, title: "Scale of \(panel.title)")
            drawing.axis(
                panel.scale.ticks.map { (panel.scale($0), panel.scale.text($0)) }, atHeight: 13, narrow: 130,
                broad: 190,
                margin: 14)
            return drawing.svg
        }
        rows.append("<div class=\"row\"><div class=\"who\"></div>\(axes.joined(separator: "\n"))</div>")
        return "<div class=\"spread\">\n\(rows.joined(separator: "\n"))\n</div>"
    }

    private func strip(_ panel: Panel, _ number: Int, _ name: String) -> String {
        let (values, scale) = (panel.values[number], panel.scale)
        let sorted = values.sorted()
        var drawing = Drawing(height: 30, title: "\(name): \(panel.title)")
        for tick in scale.ticks { drawing.line(scale(tick), 0, scale(tick), 30, "grid") }
        guard let low = Summary.quantile(sorted, 0.1), let middle = Summary.quantile(sorted, 0.5),
            let high = Summary.quantile(sorted, 0.9)
        else { return drawing.svg }
        let color = "c\(number % Self.colors)"
        if values.count > 1 {
            drawing.rectangle(scale(low), 10, width: max(0.3, scale(high) - scale(low)), height: 10, "box \(color)")
        }
        if hasDots {
            for (device, value) in zip(study.devices, values) {
                let text = "\(device): \(Decimal.text(value, digits: 3))"
                drawing.circle(scale(value), 15, radius: 3, "device \(color)", hint: text)
            }
        }
        drawing.line(scale(middle), 7, scale(middle), 23, "middle \(color)")
        return drawing.svg
    }

    /// Returns a policy's number and whole name.
    static func label(_ number: Int, _ name: String) -> String {
        "<div class=\"who\">\(key(number)) <span>\(Markup.escape(name))</span></div>"
    }

    /// Returns a policy's number in its color.
    static func key(_ number: Int) -> String { "<b class=\"key c\(number % colors)\">\(number + 1)</b>" }
}
