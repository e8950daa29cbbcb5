// SPDX-License-Identifier: Apache-2.0
import Rainbow
import ToolSupport
import TransferEngine
import TransferModel
import TransferScheduling

/// A live line a transfer, as many as fit: bar, bytes, rate and time left, or why it waits. What is over scrolls up and
/// stays.
///
/// An update costs next to nothing, however many transfers there are: what it changed is drawn at the next `flush()`.
struct TerminalStyle: GetStyle {
    /// What a live line shows.
    private struct Row {
        var name: String
        var text: String
        var bar: (bytes: Int64, total: Int64?, rate: Int64?)?
    }

    /// A transfer that waits: its line is made when it is drawn, which of thousands few ever are.
    private struct Waiting {
        var update: TransferUpdate
        var specification: TransferSpecification
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
    /// How many at a time are told of while they wait.
    let watched: Int
    private var running: [TransferID: Row] = [:]
    private var waiting: [TransferID: Waiting] = [:]
    /// The numbers of those that wait, ascending.
    private var waitingOrder: [TransferID] = []
    /// Lines that stay, above the live ones, not written yet.
    private var above = ""
    /// How many columns each line that stands there takes.
    private var drawn: [Int] = []
    private var over = 0
    private var hasEnded = false
    private(set) var isDirty = false

    init(localTime: LocalTimeRules, total: Int, watched: Int) {
        self.localTime = localTime
        self.total = total
        self.watched = watched
    }

    mutating func show(_ update: TransferUpdate, _ specification: TransferSpecification) {
        isDirty = true
        switch update.kind {
        case .finished, .failed, .cancelled:
            running[update.id] = nil
            setWaiting(update.id, nil)
            over += 1
            let text = GetText.sentence(of: update, localTime: localTime, isVerbose: false) ?? ""
            let mark = update.isFailure ? "✗".red : "✓".green
            above += "\(mark) \(specification.displayName.printable): \(text.printable)\n"
        case .progressed(let bytes, let total, let rate):
            setWaiting(update.id, nil)
            let name = running[update.id]?.name ?? specification.displayName
            running[update.id] = Row(name: name, text: "", bar: (bytes, total, rate))
        case .started:
            setWaiting(update.id, nil)
            let bar = running[update.id]?.bar
            running[update.id] = Row(
                name: specification.displayName, text: bar == nil ? "asking the server" : "", bar: bar)
        case .submitted, .changed, .paused, .resumed: break  // The command's own doing.
        case .waiting, .stopped, .retrying:
            running[update.id] = nil
            setWaiting(update.id, Waiting(update: update, specification: specification))
        }
    }

    mutating func note(_ text: String) {
        isDirty = true
        above += text.printable + "\n"
    }

    mutating func end() {
        running = [:]
        waiting = [:]
        waitingOrder = []
        hasEnded = true
        isDirty = true
        flush()
    }

    private mutating func setWaiting(_ id: TransferID, _ new: Waiting?) {
        let old = waiting.updateValue(new, orRemove: id)
        guard old != (new != nil) else { return }
        let place = waitingOrder.firstPlace(notBelow: id)
        if new == nil { waitingOrder.remove(at: place) } else { waitingOrder.insert(id, at: place) }
    }

    /// Draws the live lines again in place, above them the lines that stay. One write, so that nothing flickers.
    mutating func flush() {
        guard isDirty else { return }
        isDirty = false
        let width = Console.width(1)
        // The rest of the screen belongs to what is over.
        let lines = liveLines(width: width, room: max(1, Console.height(1) - 2))
        // A terminal that became narrower has wrapped what stood there: it takes more rows than were drawn.
        let rowsAbove = drawn.reduce(0) { $0 + max(1, ($1 + width - 1) / width) }
        var text = rowsAbove > 0 ? "\u{1B}[\(rowsAbove)A" : ""
        text += "\r\u{1B}[J" + above
        text += lines.map { $0.text + "\n" }.joined()
        above = ""
        drawn = lines.map(\.columns)
        Console.write(text, to: 1)
    }

    /// What runs, then what waits, by number; no more than fit, with how many there are beside.
    private func liveLines(width: Int, room: Int) -> [Line] {
        // Of thousands only some are watched, and heard of before they run.
        let count = hasEnded ? 0 : max(running.count + waiting.count, total > watched ? total - over : 0)
        var rows = running.sorted { $0.key < $1.key }.prefix(room).map(\.value)
        for id in waitingOrder.prefix(room - rows.count) { if let row = waiting[id].map(row) { rows.append(row) } }
        // Reasons are shown whole as long as there is room for all of them.
        if count == rows.count {
            let lines = rows.flatMap { wrapped($0, width: width) }
            if lines.count <= room { return lines }
        }
        var lines = rows.prefix(count > rows.count ? room - 1 : room).map { line($0, width: width) }
        let hidden = count - lines.count
        if hidden > 0 {
            lines.append(
                Line(plain: Formatting.fitted("… and \(hidden) more, \(over) of \(total) are over", width: width)))
        }
        return lines
    }

    private func row(_ transfer: Waiting) -> Row {
        let text = GetText.sentence(of: transfer.update, localTime: localTime, isVerbose: false) ?? ""
        return Row(name: transfer.specification.displayName, text: text)
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

extension Dictionary where Key == TransferID {
    /// Sets the value, or removes it where it is nil; true where there was one.
    fileprivate mutating func updateValue(_ value: Value?, orRemove key: Key) -> Bool {
        guard let value else { return removeValue(forKey: key) != nil }
        return updateValue(value, forKey: key) != nil
    }
}

extension Array where Element == TransferID {
    /// The first place of an ascending list whose element is not below `id`.
    fileprivate func firstPlace(notBelow id: TransferID) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
