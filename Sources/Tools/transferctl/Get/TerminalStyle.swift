// SPDX-License-Identifier: Apache-2.0
import Rainbow
import TransferEngine
import TransferPolicy
import TransferScheduling

/// A live line a transfer: bar, bytes, rate and time left, or why it waits. What is over scrolls up and stays.
struct TerminalStyle: GetStyle {
    /// What a live line shows.
    private struct Row {
        var name: String
        var text: String
        var bar: (bytes: Int64, total: Int64?, rate: Int64?)?
    }

    let localTime: LocalTimeRules
    let total: Int
    private var rows: [TransferID: Row] = [:]
    private var drawn = 0
    private var over = 0

    init(localTime: LocalTimeRules, total: Int) {
        self.localTime = localTime
        self.total = total
    }

    mutating func show(_ update: TransferUpdate, _ specification: TransferSpecification) {
        let name = specification.displayName
        switch update.kind {
        case .finished, .failed, .cancelled:
            rows[update.id] = nil
            over += 1
            let text = GetText.sentence(of: update, localTime: localTime, isVerbose: false) ?? ""
            let mark = update.isFailure ? "✗".red : "✓".green
            redraw(above: "\(mark) \(Formatting.printable(name)): \(Formatting.printable(text))")
        case .progressed(let bytes, let total, let rate):
            rows[update.id] = Row(name: name, text: "", bar: (bytes, total, rate))
            redraw()
        case .started:
            let bar = rows[update.id]?.bar
            rows[update.id] = Row(name: name, text: bar == nil ? "asking the server" : "", bar: bar)
            redraw()
        case .waiting, .paused, .retrying:
            let text = GetText.sentence(of: update, localTime: localTime, isVerbose: false) ?? ""
            rows[update.id] = Row(name: name, text: text)
            redraw()
        }
    }

    mutating func note(_ text: String) { redraw(above: text) }

    mutating func end() {
        rows = [:]
        redraw()
    }

    /// Draws the live lines again in place, `above` them a line that stays. One write, so that nothing flickers.
    private mutating func redraw(above: String? = nil) {
        let width = Console.width(1)
        // The rest of the screen belongs to what is over.
        let room = max(1, Console.height(1) - 2)
        let ids = rows.sorted { left, right in
            let (leftRuns, rightRuns) = (left.value.text.isEmpty, right.value.text.isEmpty)
            return leftRuns != rightRuns ? leftRuns : left.key < right.key
        }
        var lines = ids.prefix(ids.count > room ? room - 1 : room).map { line($0.value, width: width) }
        if ids.count > lines.count {
            lines.append(
                Formatting.fitted("… and \(ids.count - lines.count) more, \(over) of \(total) are over", width: width)
                    .dim)
        }
        var text = drawn > 0 ? "\u{1B}[\(drawn)A" : ""
        text += "\r\u{1B}[J"
        if let above { text += above + "\n" }
        text += lines.map { $0 + "\n" }.joined()
        drawn = lines.count
        Console.write(text, to: 1)
    }

    private func line(_ row: Row, width: Int) -> String {
        let nameWidth = max(10, min(30, width / 3))
        let name = Formatting.fitted(row.name, width: nameWidth)
        let padded = name + String(repeating: " ", count: max(0, nameWidth - Formatting.columns(name)))
        guard let bar = row.bar, row.text.isEmpty else {
            return padded.bold + " " + Formatting.fitted(row.text, width: width - nameWidth - 2)
        }
        let numbers = Self.numbers(bar)
        let barWidth = min(40, width - nameWidth - Formatting.columns(numbers) - 5)
        guard barWidth >= 5, let total = bar.total, total > 0 else {
            return padded.bold + " " + Formatting.fitted(numbers, width: width - nameWidth - 2)
        }
        let filled = min(barWidth, Int(Double(bar.bytes) / Double(total) * Double(barWidth)))
        let drawing = String(repeating: "█", count: filled).green + String(repeating: "░", count: barWidth - filled).dim
        return padded.bold + " " + drawing + " " + numbers
    }

    private static func numbers(_ bar: (bytes: Int64, total: Int64?, rate: Int64?)) -> String {
        var parts: [String] = []
        if let total = bar.total, total > 0 { parts.append("\(bar.bytes * 100 / total) %") }
        parts.append(
            bar.total.map { "\(Formatting.bytes(bar.bytes))/\(Formatting.bytes($0))" } ?? Formatting.bytes(bar.bytes))
        if let rate = bar.rate, rate > 0 {
            parts.append("\(Formatting.bytes(rate))/s")
            if let total = bar.total { parts.append("ETA \(Formatting.span(max(0, total - bar.bytes) / rate))") }
        }
        return parts.joined(separator: "  ")
    }
}
