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

    /// A line as it is written, and how many columns of it are seen.
    private struct Line {
        var text: String
        var columns: Int

        init(text: String, columns: Int) {
            self.text = text
            self.columns = columns
        }

        init(plain: String) { self.init(text: plain.dim, columns: Formatting.columns(plain)) }
    }

    let localTime: LocalTimeRules
    let total: Int
    private var rows: [TransferID: Row] = [:]
    /// How many columns each line that stands there takes.
    private var drawn: [Int] = []
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

    mutating func note(_ text: String) { redraw(above: Formatting.printable(text)) }

    mutating func end() {
        rows = [:]
        redraw()
    }

    /// Draws the live lines again in place, `above` them a line that stays. One write, so that nothing flickers.
    private mutating func redraw(above: String? = nil) {
        let width = Console.width(1)
        // The rest of the screen belongs to what is over.
        let room = max(1, Console.height(1) - 2)
        let ordered = rows.sorted { left, right in
            let (leftRuns, rightRuns) = (left.value.text.isEmpty, right.value.text.isEmpty)
            return leftRuns != rightRuns ? leftRuns : left.key < right.key
        }.map(\.value)
        // Reasons are shown whole as long as there is room for all of them.
        var lines = ordered.flatMap { wrapped($0, width: width) }
        if lines.count > room {
            lines = ordered.prefix(room - 1).map { line($0, width: width) }
            let hidden = ordered.count - lines.count
            if hidden > 0 {
                lines.append(
                    Line(plain: Formatting.fitted("… and \(hidden) more, \(over) of \(total) are over", width: width)))
            }
        }
        // A terminal that became narrower has wrapped what stood there: it takes more rows than were drawn.
        let rowsAbove = drawn.reduce(0) { $0 + max(1, ($1 + width - 1) / width) }
        var text = rowsAbove > 0 ? "\u{1B}[\(rowsAbove)A" : ""
        text += "\r\u{1B}[J"
        if let above { text += above + "\n" }
        text += lines.map { $0.text + "\n" }.joined()
        drawn = lines.map(\.columns)
        Console.write(text, to: 1)
    }

    /// The name, padded to its column.
    private func heading(_ row: Row, width: Int) -> (text: String, columns: Int) {
        let nameWidth = max(10, min(30, width / 3))
        let name = Formatting.fitted(row.name, width: nameWidth)
        return (name + String(repeating: " ", count: max(0, nameWidth - Formatting.columns(name))), nameWidth)
    }

    /// The row with its reason whole, on as many lines as that takes.
    private func wrapped(_ row: Row, width: Int) -> [Line] {
        let (name, nameWidth) = heading(row, width: width)
        let textWidth = width - nameWidth - 1
        guard !row.text.isEmpty, textWidth >= 20, Formatting.columns(row.text) > textWidth else {
            return [line(row, width: width)]
        }
        return Formatting.wrapped(row.text, width: textWidth).enumerated().map { index, part in
            let start = index == 0 ? name : String(repeating: " ", count: nameWidth)
            return Line(text: start.bold + " " + part, columns: nameWidth + 1 + Formatting.columns(part))
        }
    }

    /// The row on one line.
    private func line(_ row: Row, width: Int) -> Line {
        let (name, nameWidth) = heading(row, width: width)
        func withText(_ text: String) -> Line {
            let fitted = Formatting.fitted(text, width: width - nameWidth - 1)
            return Line(text: name.bold + " " + fitted, columns: nameWidth + 1 + Formatting.columns(fitted))
        }
        guard let bar = row.bar, row.text.isEmpty else { return withText(row.text) }
        let numbers = Self.numbers(bar)
        let barWidth = min(40, width - nameWidth - Formatting.columns(numbers) - 3)
        guard barWidth >= 5, let total = bar.total, total > 0 else { return withText(numbers) }
        let filled = min(barWidth, Int(Double(bar.bytes) / Double(total) * Double(barWidth)))
        let drawing = String(repeating: "█", count: filled).green + String(repeating: "░", count: barWidth - filled).dim
        return Line(
            text: name.bold + " " + drawing + " " + numbers,
            columns: nameWidth + barWidth + Formatting.columns(numbers) + 2)
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
